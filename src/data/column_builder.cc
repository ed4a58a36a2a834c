#include "data/column_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace dpfermi {
namespace {

/// Most numbers of real tables are short integers; from_chars<double> costs three times as much.
std::optional<double> parse_short_integer(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return std::nullopt;
    value = 10 * value + digit;
  }
  return value;
}

bool is_clean_text(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos &&
         text.find('\0') == std::string_view::npos;
}

const std::string* recoded(const std::map<std::string, std::string>& recode,
                           std::string_view text) {
  if (recode.empty()) return nullptr;
  const auto entry = recode.find(std::string(text));
  return entry == recode.end() ? nullptr : &entry->second;
}

}  // namespace

MissingMarkers::MissingMarkers(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) {
    if (const auto number = parse_number(text)) numbers_.push_back(*number);
  }
}

bool MissingMarkers::is_missing(std::string_view text) const {
  return std::ranges::find(texts_, text) != texts_.end();
}

Cell NumericBuilder::push(std::string_view text) {
  std::optional<double> value = parse_short_integer(text);
  if (!value) value = parse_number(text);
  if (value && !markers_->is_missing(*value)) {
    values_.push_back(*value);
    return Cell::kPresent;
  }
  values_.push_back(std::numeric_limits<double>::quiet_NaN());
  return value || markers_->is_missing(text) ? Cell::kMissing : Cell::kBadNumber;
}

Cell NumericBuilder::push(double value) {
  const bool present = std::isfinite(value) && !markers_->is_missing(value);
  values_.push_back(present ? value : std::numeric_limits<double>::quiet_NaN());
  if (present) return Cell::kPresent;
  return std::isinf(value) ? Cell::kBadNumber : Cell::kMissing;
}

Status NumericBuilder::take(std::span<const double> numbers, const OddCell& odd) {
  const bool copied = markers_->any_number();
  if (copied) values_.assign(numbers.begin(), numbers.end());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const double value = numbers[row];
    const bool marked = copied && markers_->is_missing(value);
    if (marked) values_[row] = std::numeric_limits<double>::quiet_NaN();
    if (std::isfinite(value) && !marked) continue;
    DPFERMI_TRY(odd(row, std::isinf(value) ? Cell::kBadNumber : Cell::kMissing));
  }
  if (!copied) borrowed_ = numbers;
  return {};
}

void NumericBuilder::drop(std::span<const std::uint32_t> rows) {
  if (values_.empty()) values_.assign(borrowed_.begin(), borrowed_.end());
  borrowed_ = {};
  values_ = without_rows(values_, rows);
}

NumericColumn NumericBuilder::finish() && {
  if (!borrowed_.empty()) return NumericColumn::borrowed(borrowed_);
  if (wastes_memory(values_)) values_.shrink_to_fit();
  return NumericColumn(std::move(values_));
}

std::uint32_t CategoryBuilder::resolve(std::string_view text) {
  if (markers_->is_missing(text)) return CodeVector::kMissing;
  if (!is_clean_text(text)) return kBad;
  const std::string* other = recoded(recode_, text);
  return levels_.insert(other != nullptr ? std::string_view(*other) : text);
}

Cell CategoryBuilder::push(std::string_view text) {
  const std::uint32_t seen = texts_.insert(text);
  if (seen == meaning_.size()) meaning_.push_back(resolve(text));
  return push_meaning(meaning_[seen]);
}

Cell CategoryBuilder::push_meaning(std::uint32_t meaning) {
  codes_.push_back(meaning == kBad ? CodeVector::kMissing : meaning);
  if (meaning == kBad) return Cell::kBadText;
  return meaning == CodeVector::kMissing ? Cell::kMissing : Cell::kPresent;
}

Status CategoryBuilder::take(std::span<const std::int32_t> codes,
                             const std::vector<std::string>& levels, const OddCell& odd) {
  // Levels are numbered in order of appearance, as those of a file are.
  constexpr std::uint32_t kUnseen = kBad - 1;
  std::vector<std::uint32_t> meaning(levels.size() + 1, kUnseen);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const std::size_t code =
        std::min<std::size_t>(static_cast<std::uint32_t>(codes[row]), levels.size());
    if (meaning[code] == kUnseen) meaning[code] = resolve(code < levels.size() ? levels[code] : "");
    const Cell cell = push_meaning(meaning[code]);
    if (cell != Cell::kPresent) DPFERMI_TRY(odd(row, cell));
  }
  return {};
}

void CategoryBuilder::drop(std::span<const std::uint32_t> rows) {
  codes_ = without_rows(codes_, rows);
}

CategoryColumn CategoryBuilder::finish() && {
  codes_.shrink_to_fit();
  return {std::move(codes_), levels_.levels()};
}

SensitiveBuilder::SensitiveBuilder(const MissingMarkers* markers, const SensitiveSpec& spec,
                                   std::map<std::string, std::string> recode)
    : markers_(markers), spec_(spec), recode_(std::move(recode)) {
  for (const std::string& value : spec_.values) levels_.insert(value);
}

std::uint32_t SensitiveBuilder::resolve(std::string_view text) {
  const std::string* other = recoded(recode_, text);
  if (other != nullptr) text = *other;
  if (markers_->is_missing(text)) return CodeVector::kMissing;
  if (!spec_.bins.empty()) {
    const auto number = parse_number(text);
    return number ? bin_of(*number, spec_.bins) : CodeVector::kMissing;
  }
  if (!spec_.values.empty()) return levels_.find(text);
  return is_clean_text(text) ? levels_.insert(text) : CodeVector::kMissing;
}

void SensitiveBuilder::push(std::string_view text) {
  const std::uint32_t seen = texts_.insert(text);
  if (seen == meaning_.size()) meaning_.push_back(resolve(text));
  any_undeclared_ |= meaning_[seen] == CodeVector::kMissing;
  codes_.push_back(meaning_[seen]);
}

void SensitiveBuilder::sort_seen_levels() {
  std::vector<std::string> sorted = levels_.levels();
  sort_values(sorted);
  LevelTable order;
  for (const std::string& level : sorted) order.insert(level);
  CodeVector codes;
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    const std::uint32_t code = codes_[row];
    codes.push_back(code == CodeVector::kMissing ? code : order.find(levels_.levels()[code]));
  }
  codes_ = std::move(codes);
  levels_ = std::move(order);
}

Result<GroupDomain::Attribute> SensitiveBuilder::finish() {
  if (!declared()) sort_seen_levels();
  GroupDomain::Attribute attribute{
      .column = spec_.column,
      .values = spec_.bins.empty() ? levels_.levels() : bin_names(spec_.bins),
      .other = std::nullopt,
  };
  if (!spec_.other.empty()) {
    const auto found = std::ranges::find(attribute.values, spec_.other);
    if (found == attribute.values.end()) {
      return usage_error(
          fmt::format("'{}' is not a value of sensitive column '{}'; name one of its values",
                      spec_.other, spec_.column));
    }
    attribute.other = static_cast<std::uint32_t>(found - attribute.values.begin());
  } else if (!declared() && !any_undeclared_) {
    attribute.other = 0;  // the domain is what was seen: nothing is outside it
  }
  return attribute;
}

std::uint32_t bin_of(double value, const std::vector<double>& upper_ends) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(upper_ends, value) -
                                    upper_ends.begin());
}

std::vector<std::string> bin_names(const std::vector<double>& upper_ends) {
  std::vector<std::string> names = {"<=" + shortest(upper_ends.front())};
  for (std::size_t i = 1; i < upper_ends.size(); ++i) {
    names.push_back(fmt::format("({},{}]", upper_ends[i - 1], upper_ends[i]));
  }
  names.push_back(">" + shortest(upper_ends.back()));
  return names;
}

void sort_values(std::vector<std::string>& values) {
  const bool numbers =
      std::ranges::all_of(values, [](const std::string& v) { return parse_number(v).has_value(); });
  if (numbers) {
    std::ranges::sort(values, {}, [](const std::string& v) { return *parse_number(v); });
  } else {
    std::ranges::sort(values);
  }
}

}  // namespace dpfermi
