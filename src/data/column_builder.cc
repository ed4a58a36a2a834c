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

void erase_rows(CodeVector& values, std::span<const std::uint32_t> rows) {
  if (rows.empty()) return;
  std::size_t kept = rows.front();
  std::size_t next = 0;
  for (std::size_t row = rows.front(); row < values.size(); ++row) {
    if (next < rows.size() && rows[next] == row) {
      ++next;
    } else {
      values.set(kept++, values[row]);
    }
  }
  values.truncate(kept);
}

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

Cell NumericBuilder::kind_of(double value) const {
  if (std::isinf(value)) return Cell::kBadNumber;
  return std::isnan(value) || markers_->is_missing(value) ? Cell::kMissing : Cell::kPresent;
}

/// Numbers that were not copied before may not be mixed with others.
void NumericBuilder::keep_copies() {
  values_.insert(values_.end(), borrowed_.begin(), borrowed_.end());
  borrowed_ = {};
}

Status NumericBuilder::append_texts(const ColumnBlock& column, const OddCell& odd) {
  std::string unused;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const Cell cell = push(cell_text(column, row, unused));
    if (cell != Cell::kPresent) DPFERMI_TRY(odd(row, cell));
  }
  return {};
}

Status NumericBuilder::append(const ColumnBlock& column, bool lasting, const OddCell& odd) {
  keep_copies();
  if (!column.numeric()) return append_texts(column, odd);
  const std::size_t first = values_.size();
  const bool borrows = lasting && first == 0 && !markers_->any_number() && column.integers.empty();
  if (borrows) {
    borrowed_ = column.numbers;
  } else {
    values_.insert(values_.end(), column.numbers.begin(), column.numbers.end());
    values_.insert(values_.end(), column.integers.begin(), column.integers.end());
  }
  for (std::size_t row = 0; row < column.integers.size(); ++row) {
    if (column.integers[row] != ColumnBlock::kMissingInteger) continue;
    values_[first + row] = std::numeric_limits<double>::quiet_NaN();
  }
  const std::span<const double> added = borrows ? borrowed_ : std::span(values_).subspan(first);
  bool plain = !markers_->any_number();
  for (const double value : added) plain &= std::abs(value) <= std::numeric_limits<double>::max();
  if (plain) return {};
  for (std::size_t row = 0; row < added.size(); ++row) {
    const Cell cell = kind_of(added[row]);
    if (cell == Cell::kPresent) continue;
    if (!borrows) values_[first + row] = std::numeric_limits<double>::quiet_NaN();
    DPFERMI_TRY(odd(row, cell));
  }
  return {};
}

void NumericBuilder::drop(std::span<const std::uint32_t> rows) {
  keep_copies();
  erase_rows(values_, rows);
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

Cell CategoryBuilder::kind_of(std::uint32_t meaning) {
  if (meaning == kBad) return Cell::kBadText;
  return meaning == CodeVector::kMissing ? Cell::kMissing : Cell::kPresent;
}

Cell CategoryBuilder::push(std::string_view text) {
  const std::uint32_t seen = texts_.insert(text);
  if (seen == meaning_.size()) meaning_.push_back(resolve(text));
  const std::uint32_t meaning = meaning_[seen];
  codes_.push_back(meaning == kBad ? CodeVector::kMissing : meaning);
  return kind_of(meaning);
}

Status CategoryBuilder::append(const ColumnBlock& column, const OddCell& odd) {
  if (column.numeric()) {
    std::string number;
    const std::size_t rows = std::max(column.numbers.size(), column.integers.size());
    for (std::size_t row = 0; row < rows; ++row) {
      const Cell cell = push(cell_text(column, row, number));
      if (cell != Cell::kPresent) DPFERMI_TRY(odd(row, cell));
    }
    return {};
  }
  const auto [meanings, any_odd] =
      meanings_.of(column, [&](std::string_view text) { return resolve(text); });
  // A bad text ends the reading: its code does not matter.
  codes_.append(meanings, levels_.size());
  for (std::size_t row = 0; any_odd && row < meanings.size(); ++row) {
    const Cell cell = kind_of(meanings[row]);
    if (cell != Cell::kPresent) DPFERMI_TRY(odd(row, cell));
  }
  return {};
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

std::uint32_t SensitiveBuilder::declared_values() const {
  return static_cast<std::uint32_t>(spec_.bins.empty() ? spec_.values.size()
                                                       : spec_.bins.size() + 1);
}

std::uint32_t SensitiveBuilder::resolve(std::string_view text) {
  const std::string* other = recoded(recode_, text);
  if (other != nullptr) text = *other;
  if (markers_->is_missing(text)) return CodeVector::kMissing;
  if (!spec_.bins.empty()) {
    const auto number = parse_number(text);
    return number ? bin_of(*number, spec_.bins) : declared_values();
  }
  if (!spec_.values.empty()) return std::min(levels_.find(text), declared_values());
  return is_clean_text(text) ? levels_.insert(text) : CodeVector::kMissing;
}

void SensitiveBuilder::push(std::string_view text) {
  const std::uint32_t seen = texts_.insert(text);
  if (seen == meaning_.size()) meaning_.push_back(resolve(text));
  any_undeclared_ |= meaning_[seen] == CodeVector::kMissing;
  codes_.push_back(meaning_[seen]);
}

void SensitiveBuilder::append(const ColumnBlock& column) {
  std::string number;
  const std::size_t numbers = std::max(column.numbers.size(), column.integers.size());
  for (std::size_t row = 0; column.numeric() && row < numbers; ++row) {
    push(cell_text(column, row, number));
  }
  if (column.numeric()) return;
  const auto [meanings, any_odd] =
      meanings_.of(column, [&](std::string_view text) { return resolve(text); });
  any_undeclared_ |= any_odd;
  codes_.append(meanings, std::max<std::size_t>(levels_.size(), declared_values()) + 1);
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

Result<GroupDomain> declared_domain(const Schema& schema) {
  std::vector<GroupDomain::Attribute> attributes;
  const MissingMarkers markers(schema.format.missing);
  for (const SensitiveSpec& spec : schema.sensitive) {
    DPFERMI_ASSIGN(GroupDomain::Attribute attribute, SensitiveBuilder(&markers, spec, {}).finish());
    attributes.push_back(std::move(attribute));
  }
  if (attributes.empty()) return GroupDomain();
  return GroupDomain::create(std::move(attributes), /*declared=*/true);
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
