#pragma once

/// Reading the JSON of our own files without guessing: keys are known or refused, and a value has
/// the type it must have. The readers below throw BadJson; read_json turns that into an Error.

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "dpfermi/core/result.h"
#include "privacy/json_text.h"

namespace dpfermi {

using Json = nlohmann::ordered_json;

/// `json` for a file that people read. Bytes that are not UTF-8 are replaced.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Carries a message out of nested readers; never leaves read_json.
struct BadJson : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of a Result, for readers that call parsers of the library.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw BadJson(result.error().message);
  return std::move(*result);
}

/// One object of a file; `where` names it in complaints.
class JsonFields {
 public:
  JsonFields(const Json& json, std::string where, const std::vector<std::string>& known)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) throw BadJson(fmt::format("{} is not an object; correct it", where_));
    for (const auto& [key, value] : json.items()) {
      if (contains(known, key)) continue;
      const auto guess = nearest_name(key, known);
      throw BadJson(
          fmt::format("unknown key '{}' in {}; {}", printable(key), where_,
                      guess ? fmt::format("did you mean '{}'?", *guess)
                            : "it may have been written by a later version, or remove the key"));
    }
  }

  bool has(const std::string& key) const { return json_.contains(key) && !json_[key].is_null(); }

  const Json& at(const std::string& key) const {
    if (!json_.contains(key)) {
      throw BadJson(fmt::format("{} needs the key '{}'; add it", where_, key));
    }
    return json_[key];
  }

  std::string text(const std::string& key) const {
    return expect(key, at(key).is_string(), "a text").get<std::string>();
  }
  bool flag(const std::string& key) const {
    return expect(key, at(key).is_boolean(), "true or false").get<bool>();
  }
  double number(const std::string& key) const {
    return expect(key, at(key).is_number(), "a number").get<double>();
  }
  std::uint64_t count(const std::string& key) const {
    return expect(key, at(key).is_number_unsigned(), "a whole number").get<std::uint64_t>();
  }
  std::optional<double> maybe_number(const std::string& key) const {
    return has(key) ? std::optional(number(key)) : std::nullopt;
  }
  std::vector<std::uint64_t> counts(const std::string& key) const {
    std::vector<std::uint64_t> all;
    for (const Json& item : array(key)) {
      all.push_back(expect(key, item.is_number_unsigned(), "an array of whole numbers", item)
                        .get<std::uint64_t>());
    }
    return all;
  }
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> all;
    for (const Json& item : array(key)) {
      all.push_back(expect(key, item.is_number(), "an array of numbers", item).get<double>());
    }
    return all;
  }
  std::vector<std::string> texts(const std::string& key) const {
    std::vector<std::string> all;
    for (const Json& item : array(key)) {
      all.push_back(expect(key, item.is_string(), "an array of texts", item).get<std::string>());
    }
    return all;
  }
  const Json& array(const std::string& key) const {
    return expect(key, at(key).is_array(), "an array");
  }

 private:
  const Json& expect(const std::string& key, bool fits, std::string_view what) const {
    return expect(key, fits, what, at(key));
  }
  const Json& expect(const std::string& key, bool fits, std::string_view what,
                     const Json& value) const {
    if (fits) return value;
    throw BadJson(fmt::format("the key '{}' of {} takes {}, not {}", key, where_, what,
                              printable(value.dump(-1, ' ', true))));
  }

  const Json& json_;
  std::string where_;
};

/// What `read` makes of the JSON in `text`.
template <class Read>
auto read_json(const std::string& text, Read read) -> Result<decltype(read(Json()))> {
  DPFERMI_TRY(check_json(text));
  try {
    return read(Json::parse(text, nullptr, false));
  } catch (const BadJson& bad) {
    return failed(bad.what());
  }
}

}  // namespace dpfermi
