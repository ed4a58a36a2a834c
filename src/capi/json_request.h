#pragma once

/// One JSON object of a request, key by key.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "privacy/json_fields.h"

namespace dpfermi::capi {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// What a value of type T is called.
template <class T>
constexpr std::string_view kind_name() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  if constexpr (IsVector<T>::value) return "an array";
}

template <class T>
bool is_kind(const Json& json) {
  if constexpr (std::is_same_v<T, bool>) return json.is_boolean();
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
    return json.is_number_unsigned() &&
           json.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<T>::max()};
  }
  if constexpr (std::is_floating_point_v<T>) return json.is_number();
  if constexpr (std::is_same_v<T, std::string>) return json.is_string();
  if constexpr (IsVector<T>::value) return json.is_array();
}

/// Reads keys of one object; every key that was not asked for is refused by finish(). Throws
/// BadJson.
class JsonRequest {
 public:
  /// `prefix` leads to the object in messages: "features.".
  explicit JsonRequest(const Json& json, std::string prefix = "")
      : json_(json), prefix_(std::move(prefix)) {
    if (!json.is_object()) throw BadJson("a request is a JSON object; see docs/c-api.md");
  }

  /// The value of `key`, or null where there is none.
  const Json* find(const std::string& key) {
    known_.push_back(key);
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  template <class T>
  void read(const std::string& key, T& into) {
    if (const Json* value = find(key)) into = convert<T>(key, *value);
  }

  /// A text that `parse` makes a value of.
  template <class T, class Parse>
  void read_as(const std::string& key, T& into, Parse parse) {
    const Json* value = find(key);
    if (value == nullptr) return;
    auto parsed = parse(convert<std::string>(key, *value));
    if (!parsed) throw BadJson(fmt::format("`{}{}`: {}", prefix_, key, parsed.error().message));
    into = std::move(*parsed);
  }

  void finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (contains(known_, key)) continue;
      const auto guess = nearest_name(key, known_);
      throw BadJson(
          fmt::format("`{}{}` is unknown; {}", prefix_, printable(key),
                      guess ? fmt::format("did you mean `{}`?", *guess) : "leave it out"));
    }
  }

 private:
  template <class T>
  T convert(const std::string& key, const Json& value) const {
    if constexpr (IsOptional<T>::value) {
      return convert<typename T::value_type>(key, value);
    } else {
      if (!is_kind<T>(value)) {
        throw BadJson(fmt::format("`{}{}` takes {}, not {}", prefix_, key, kind_name<T>(),
                                  printable(value.dump(-1, ' ', true))));
      }
      if constexpr (IsVector<T>::value) {
        T all;
        for (const Json& item : value) {
          all.push_back(convert<typename T::value_type>(key, item));
        }
        return all;
      } else {
        return value.get<T>();
      }
    }
  }

  const Json& json_;
  std::string prefix_;
  std::vector<std::string> known_;
};

/// What `read` makes of the request in `text`; an empty text is an empty object. Whatever is wrong
/// is the request's fault.
template <class Read>
auto read_request(const std::string& text, Read read) {
  auto made = read_json(text.empty() ? "{}" : text, [&](const Json& json) {
    JsonRequest request(json);
    auto value = read(request);
    request.finish();
    return value;
  });
  if (!made) made.error().kind = ErrorKind::kUsage;
  return made;
}

}  // namespace dpfermi::capi
