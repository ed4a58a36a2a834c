#include "privacy/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/text.h"

namespace dpfermi {
namespace {

constexpr std::size_t kMostNesting = 200;

/// Walks over the text without keeping it, and stops at the first complaint.
class Checker : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Checker(const std::string& text) : text_(text) {}

  const std::string& complaint() const { return complaint_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    complaint_ = fmt::format("the key '{}' appears twice in one object; remove one of them",
                             printable(name));
    return false;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 406;
    const std::size_t end = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto begin = text_.begin();
    const auto stop = begin + static_cast<std::ptrdiff_t>(end);
    const auto line = 1 + std::count(begin, stop, '\n');
    const std::size_t newline = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    complaint_ = fmt::format("{} at line {}, column {}",
                             error.id == kOutOfRange ? "number too large" : "not valid JSON", line,
                             newline == std::string::npos ? end + 1 : end - newline);
    return false;
  }

 private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() <= kMostNesting) return true;
    complaint_ = fmt::format("nested more than {} levels deep; write it flatter", kMostNesting);
    return false;
  }

  bool close() {
    keys_.pop_back();
    return true;
  }

  const std::string& text_;
  std::vector<std::set<std::string>> keys_;  ///< of every object and array that is open
  std::string complaint_;
};

}  // namespace

Status check_json(const std::string& text) {
  Checker checker(text);
  if (nlohmann::json::sax_parse(text, &checker)) return {};
  return failed(checker.complaint());
}

}  // namespace dpfermi
