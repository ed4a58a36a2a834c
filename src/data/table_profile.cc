#include "data/table_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_set>

#include "core/text.h"
#include "data/repeated_names.h"
#include "data/split.h"

namespace dpfermi {
namespace {

/// So many categories may have a row or two each: the table is small, and so is the harm.
constexpr std::size_t kManyCategories = 100;
constexpr std::size_t kRowsOfAName = 5;  ///< that share it, on average, and fewer
constexpr std::size_t kFewRows = 50;     ///< below, nothing is said about how values are spread

/// A column as dense codes in the order of its values; the numbers of a numeric one beside them.
struct CodedColumn {
  std::vector<std::uint32_t> codes;  ///< by row; CodeVector::kMissing: missing
  std::vector<double> numbers;       ///< by code; empty for categories
  std::vector<std::size_t> rows;     ///< by code
  bool whole = false;                ///< numbers, all of them integers

  std::size_t present() const { return std::accumulate(rows.begin(), rows.end(), std::size_t{0}); }
};

CodedColumn code_numbers(std::span<const double> values) {
  CodedColumn column;
  for (const double value : values) {
    if (!std::isnan(value)) column.numbers.push_back(value);
  }
  std::ranges::sort(column.numbers);
  column.numbers.erase(std::unique(column.numbers.begin(), column.numbers.end()),
                       column.numbers.end());
  column.whole = std::ranges::all_of(column.numbers, [](double v) { return v == std::floor(v); });
  column.rows.resize(column.numbers.size());
  for (const double value : values) {
    if (std::isnan(value)) {
      column.codes.push_back(CodeVector::kMissing);
      continue;
    }
    const auto place = std::ranges::lower_bound(column.numbers, value);
    column.codes.push_back(static_cast<std::uint32_t>(place - column.numbers.begin()));
    ++column.rows[column.codes.back()];
  }
  return column;
}

CodedColumn code_categories(const CategoryColumn& categories) {
  CodedColumn column;
  column.rows.resize(categories.levels.size());
  for (std::size_t row = 0; row < categories.codes.size(); ++row) {
    column.codes.push_back(categories.codes[row]);
    if (column.codes.back() != CodeVector::kMissing) ++column.rows[column.codes.back()];
  }
  return column;
}

/// Rows by class where the value is missing, or where it is not.
std::vector<double> classes_where(const CodedColumn& column, const Labels& labels, bool missing) {
  std::vector<double> counts(labels.classes.size());
  for (std::size_t row = 0; row < labels.y.size(); ++row) {
    if ((column.codes[row] == CodeVector::kMissing) == missing) counts[labels.y[row]] += 1;
  }
  return counts;
}

/// Rows by code and class.
std::vector<std::vector<double>> class_table(const CodedColumn& column, const Labels& labels) {
  std::vector<std::vector<double>> counts(column.rows.size(),
                                          std::vector<double>(labels.classes.size()));
  for (std::size_t row = 0; row < labels.y.size(); ++row) {
    if (column.codes[row] != CodeVector::kMissing) counts[column.codes[row]][labels.y[row]] += 1;
  }
  return counts;
}

/// Neighbouring codes of numbers joined until each holds a twentieth of the rows.
std::vector<std::vector<double>> in_bins(const std::vector<std::vector<double>>& counts) {
  double all = 0;
  for (const auto& row : counts) all += std::accumulate(row.begin(), row.end(), 0.0);
  std::vector<std::vector<double>> bins;
  double held = all;
  for (const auto& row : counts) {
    if (held >= all / 20) {
      bins.emplace_back(row.size());
      held = 0;
    }
    for (std::size_t j = 0; j < row.size(); ++j) bins.back()[j] += row[j];
    held += std::accumulate(row.begin(), row.end(), 0.0);
  }
  return bins;
}

/// The share of rows that are wrong if every code predicts its most frequent class.
double error_alone(const std::vector<std::vector<double>>& counts) {
  double all = 0;
  double right = 0;
  for (const auto& row : counts) {
    all += std::accumulate(row.begin(), row.end(), 0.0);
    right += *std::ranges::max_element(row);
  }
  return all > 0 ? 1 - right / all : 1;
}

/// Sums of squares of the rates of a class by value, around their mean.
struct Explained {
  double variance = 0;    ///< of the class over rows
  double values = 0;      ///< what the values explain
  double trend = 0;       ///< what a straight line through their ranks explains
  double neighbours = 0;  ///< what the rates of neighbouring values leave unexplained
};

/// `counts` by value and class, of class j. Weights are rows.
Explained explain_class(const std::vector<std::vector<double>>& counts, std::size_t j) {
  const std::size_t values = counts.size();
  const auto span = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, values / 8));
  std::vector<double> rows;
  for (const auto& row : counts) rows.push_back(std::accumulate(row.begin(), row.end(), 0.0));
  const double n = std::accumulate(rows.begin(), rows.end(), 0.0);
  double mean = 0;
  double middle = 0;
  for (std::size_t v = 0; v < values; ++v) {
    mean += counts[v][j] / n;
    middle += static_cast<double>(v) * rows[v] / n;
  }
  Explained found{.variance = n * mean * (1 - mean)};
  double rank_square = 0;
  double rank_product = 0;
  for (std::size_t v = 0; v < values; ++v) {
    const double rate = counts[v][j] / rows[v];
    const double rank = static_cast<double>(v) - middle;
    found.values += rows[v] * (rate - mean) * (rate - mean);
    rank_square += rows[v] * rank * rank;
    rank_product += rows[v] * rank * (rate - mean);
    double near = 0;
    double near_j = 0;
    const auto at = static_cast<std::ptrdiff_t>(v);
    const auto end = std::min(static_cast<std::ptrdiff_t>(values), at + span + 1);
    for (auto u = std::max<std::ptrdiff_t>(0, at - span); u < end; ++u) {
      if (u == at) continue;
      near += rows[static_cast<std::size_t>(u)];
      near_j += counts[static_cast<std::size_t>(u)][j];
    }
    found.neighbours += rows[v] * (rate - near_j / near) * (rate - near_j / near);
  }
  found.trend = rank_square > 0 ? rank_product * rank_product / rank_square : 0;
  return found;
}

/// Whether the values say something about the classes, at least one percent of their variance, and
/// their order does not: neither a trend nor neighbouring values explain half of it.
bool order_says_nothing(const std::vector<std::vector<double>>& counts) {
  Explained all;
  double n = 0;
  for (const auto& row : counts) n += std::accumulate(row.begin(), row.end(), 0.0);
  for (std::size_t j = 0; j < counts.front().size(); ++j) {
    const Explained one = explain_class(counts, j);
    all.variance += one.variance;
    all.values += one.values;
    all.trend += one.trend;
    all.neighbours += one.neighbours;
  }
  const double by_chance = static_cast<double>(counts.size() - 1) * all.variance / n;
  return all.values - by_chance >= 0.01 * all.variance && all.trend < 0.5 * all.values &&
         all.neighbours > 0.5 * all.values;
}

bool ends_in_any(std::string name, std::initializer_list<std::string_view> endings) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

bool looks_like_date(std::string_view text) {
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto separators =
      std::ranges::count_if(text.substr(0, 10), [](char c) { return c == '-' || c == '/'; });
  return text.size() >= 8 && text.size() <= 32 && separators == 2 && digit(text.front()) &&
         std::ranges::count_if(text.substr(0, 10), digit) >= 6;
}

void suggest_drop(ColumnProfile& column, std::string remark) {
  column.remarks.push_back(std::move(remark));
  column.drop = true;
}

/// Identifiers and codes among whole numbers.
void remark_on_numbers(const CodedColumn& column, const Labels& labels, ColumnProfile& found) {
  const std::size_t n = column.present();
  if (!column.whole || n < kFewRows) return;
  if (found.distinct == n) {
    suggest_drop(found, "a different whole number in every row: an identifier? `drop` it");
    return;
  }
  const bool named_code = ends_in_any(found.name, {"id", "code", "zip", "nbr", "number"});
  if (named_code && found.distinct > n / 20) {
    found.remarks.emplace_back(
        "may name persons or things: give it as `id` where it is the person, else `drop` it");
    return;
  }
  if (found.distinct < 4 || found.distinct > std::min<std::size_t>(1000, n / 20)) return;
  const bool codes = !labels.y.empty() && order_says_nothing(class_table(column, labels));
  if (named_code || codes) {
    found.categorical = true;
    found.remarks.push_back(
        fmt::format("{} whole numbers that look like codes, not like a quantity: `categorical`",
                    found.distinct));
  }
}

void remark_on_categories(const CategoryColumn& categories, const CodedColumn& column,
                          ColumnProfile& found) {
  const std::size_t n = column.present();
  if (n < kFewRows) return;
  const auto dates = std::ranges::count_if(categories.levels, looks_like_date);
  if (static_cast<std::size_t>(dates) * 10 >= 9 * categories.levels.size()) {
    suggest_drop(found, "dates: turn them into numbers (years, days), or `drop` them");
    return;
  }
  std::size_t bytes = 0;
  for (const std::string& level : categories.levels) bytes += level.size();
  if (bytes > 30 * found.distinct && found.distinct > n / 10) {
    suggest_drop(found, "free text: `drop` it");
  } else if (found.distinct * 20 >= 19 * n) {
    suggest_drop(found, "a different text in nearly every row: an identifier? `drop` it");
  } else if (too_many_categories(found.distinct, column.codes.size())) {
    suggest_drop(found,
                 fmt::format("{} categories, too many for training: join rare ones, or `drop` it",
                             with_thousands(found.distinct)));
  } else if (found.distinct > kManyCategories && kRowsOfAName * found.distinct > n) {
    suggest_drop(found, fmt::format("{} categories for {} rows: a name or a code? `drop` it",
                                    with_thousands(found.distinct), with_thousands(n)));
  } else if (found.distinct > kManyCategories) {
    found.remarks.push_back(fmt::format("{} categories are {} inputs: join rare ones, or `drop` it",
                                        with_thousands(found.distinct),
                                        with_thousands(found.distinct)));
  }
}

/// Whether a twentieth of the rows and more decide for one class: nine in ten are of a class that
/// is not the most frequent one, or nearly all of one that other rows rarely have.
bool decides_a_class(const std::vector<double>& rows, const std::vector<std::size_t>& class_rows) {
  constexpr double kTelling = 0.9;
  constexpr double kPure = 0.995;
  constexpr double kCommon = 0.8;
  const auto all =
      static_cast<double>(std::accumulate(class_rows.begin(), class_rows.end(), std::size_t{0}));
  const double n = std::accumulate(rows.begin(), rows.end(), 0.0);
  const auto most = std::ranges::max_element(rows);
  const std::size_t of_class = class_rows[static_cast<std::size_t>(most - rows.begin())];
  const bool changes_the_guess = of_class < *std::ranges::max_element(class_rows);
  const bool rare = static_cast<double>(of_class) <= kCommon * all;
  return n >= kFewRows && n >= all / 20 &&
         ((changes_the_guess && *most >= kTelling * n) || (rare && *most >= kPure * n));
}

/// Whether a column has so many values that single ones say little.
bool has_many_values(const CodedColumn& column, std::size_t distinct) {
  return distinct > (column.numbers.empty() ? column.present() / 20 : 20);
}

/// Rows by class: for values, bins of values or, where values are many, presence; then those where
/// the value is missing.
std::vector<std::vector<double>> tables_of_classes(const CodedColumn& column, const Labels& labels,
                                                   std::size_t distinct) {
  const bool many = has_many_values(column, distinct);
  std::vector<std::vector<double>> parts;
  if (many && column.numbers.empty()) {
    parts.push_back(classes_where(column, labels, false));
  } else {
    parts = class_table(column, labels);
    if (many) parts = in_bins(parts);
  }
  parts.push_back(classes_where(column, labels, true));
  return parts;
}

double constant_error(const std::vector<std::size_t>& class_rows) {
  const auto all =
      static_cast<double>(std::accumulate(class_rows.begin(), class_rows.end(), std::size_t{0}));
  return 1 - static_cast<double>(*std::ranges::max_element(class_rows)) / all;
}

/// A column that errs less than this share of what a constant errs was made from the target.
constexpr double kTooGood = 1.0 / 3;

/// A column that decides the target nearly alone was probably made from it.
void remark_on_leak(const CodedColumn& column, const Labels& labels,
                    const std::vector<std::size_t>& class_rows, ColumnProfile& found) {
  const double constant = constant_error(class_rows);
  if (constant <= 0 || column.present() < kFewRows) return;
  auto parts = tables_of_classes(column, labels, found.distinct);
  const double error = error_alone(parts);
  if (error < kTooGood * constant) {
    suggest_drop(
        found,
        fmt::format("too good to be true: alone it errs on {:.2f} % of the rows, a constant on "
                    "{:.1f} %; a copy of the target? `drop` it",
                    100 * error, 100 * constant));
    return;
  }
  const bool in_bins = !column.numbers.empty() && has_many_values(column, found.distinct);
  if (in_bins) parts.erase(parts.begin(), parts.end() - 1);
  if (found.missing > 0) parts.push_back(classes_where(column, labels, false));
  const auto telling = std::ranges::find_if(
      parts, [&](const auto& rows) { return decides_a_class(rows, class_rows); });
  if (telling == parts.end()) return;
  const double rows = std::accumulate(telling->begin(), telling->end(), 0.0);
  const auto most = std::ranges::max_element(*telling);
  suggest_drop(
      found, fmt::format(
                 "too good to be true: {} rows with one value of it, or with any, are {:.1f} % "
                 "'{}'; known "
                 "only afterwards? `drop` it",
                 with_thousands(static_cast<std::uint64_t>(rows)), 100 * *most / rows,
                 printable(labels.classes[static_cast<std::size_t>(most - telling->begin())], 20)));
}

CodedColumn code(const Column& feature) {
  const auto* numeric = std::get_if<NumericColumn>(&feature.data);
  return numeric != nullptr ? code_numbers(numeric->values)
                            : code_categories(std::get<CategoryColumn>(feature.data));
}

std::size_t distinct_values(const CodedColumn& column) {
  return static_cast<std::size_t>(
      std::ranges::count_if(column.rows, [](std::size_t rows) { return rows > 0; }));
}

ColumnProfile profile_column(const Column& feature, const Labels& labels,
                             const std::vector<std::size_t>& class_rows) {
  ColumnProfile found{.name = feature.name};
  const auto* categories = std::get_if<CategoryColumn>(&feature.data);
  const CodedColumn column = code(feature);
  found.missing = column.codes.size() - column.present();
  found.distinct = distinct_values(column);
  if (found.distinct <= 1) {
    suggest_drop(found, "one value in every row: `drop` it");
  } else if (categories == nullptr) {
    remark_on_numbers(column, labels, found);
  } else {
    remark_on_categories(*categories, column, found);
  }
  if (!labels.y.empty() && found.distinct > 1) remark_on_leak(column, labels, class_rows, found);
  if (categories != nullptr) {
    std::vector<std::size_t> order(column.rows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t code) { return column.rows[code]; });
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
      found.frequent.emplace_back(categories->levels[order[i]], column.rows[order[i]]);
    }
  }
  return found;
}

bool same_values(const Column& one, const Column& other) {
  if (one.data.index() != other.data.index()) return false;
  if (const auto* numbers = std::get_if<NumericColumn>(&one.data)) {
    const CodedColumn a = code_numbers(numbers->values);
    const CodedColumn b = code_numbers(std::get<NumericColumn>(other.data).values);
    return a.codes == b.codes && a.numbers == b.numbers;
  }
  const auto& a = std::get<CategoryColumn>(one.data);
  const auto& b = std::get<CategoryColumn>(other.data);
  return a.levels == b.levels && code_categories(a).codes == code_categories(b).codes;
}

/// What is wrong with a second column of one name; nothing where the name is no repeat.
std::string remark_on_repeat(const Table& table, std::size_t c) {
  const Column& column = table.features[c];
  const bool public_features = features_are_public(table.schema.adjacency);
  if (const SensitiveSpec* copied = repeated_sensitive(table.schema, column.name);
      copied != nullptr && public_features) {
    return fmt::format("the second column called '{}', which is protected: `drop` it",
                       printable(copied->column));
  }
  const std::string_view name = without_repeat(column.name);
  if (name == column.name) return "";
  const auto first = std::ranges::find(table.features, name, &Column::name);
  if (first == table.features.end()) return "";
  return fmt::format("the second column called '{}', {}", printable(first->name),
                     same_values(column, *first)
                         ? "with the same values: `drop` it"
                         : "with other values: `drop` it, or give it a type (`numeric`, "
                           "`categorical`)");
}

}  // namespace

bool too_many_categories(std::size_t categories, std::size_t rows) {
  const bool few_rows_each = categories > kManyCategories && 2 * categories > rows;
  return categories > kMaxInferredCategories || few_rows_each;
}

TableProfile profile(const Table& table) {
  TableProfile found;
  if (!table.labels.y.empty()) {
    found.class_rows.resize(table.labels.classes.size());
    for (const std::uint16_t y : table.labels.y) ++found.class_rows[y];
  }
  const std::vector<std::uint64_t> hashes = public_row_hashes(table);
  found.copies = table.rows - std::unordered_set(hashes.begin(), hashes.end()).size();
  for (const Column& feature : table.features) {
    found.columns.push_back(profile_column(feature, table.labels, found.class_rows));
  }
  for (std::size_t c = 0; c < found.columns.size(); ++c) {
    const std::string repeat = remark_on_repeat(table, c);
    if (!repeat.empty()) suggest_drop(found.columns[c], repeat);
  }
  return found;
}

std::vector<std::string> near_copies_of_groups(const Table& table,
                                               std::span<const std::uint16_t> groups) {
  std::vector<std::string> copies;
  Labels labels{.classes = table.domain.names(), .y = {groups.begin(), groups.end()}};
  std::vector<std::size_t> group_rows(labels.classes.size());
  for (const std::uint16_t group : groups) ++group_rows[group];
  if (group_rows.empty() || constant_error(group_rows) <= 0) return copies;
  for (const Column& feature : table.features) {
    const CodedColumn column = code(feature);
    const double error = error_alone(tables_of_classes(column, labels, distinct_values(column)));
    if (error < kTooGood * constant_error(group_rows)) copies.push_back(feature.name);
  }
  return copies;
}

}  // namespace dpfermi
