#include "preprocess/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "data/table_profile.h"

namespace dpfermi {
namespace {

const Column* find_column(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.features, name, &Column::name);
  return found == table.features.end() ? nullptr : &*found;
}

ColumnSpec spec_of(const Schema& schema, const std::string& name) {
  const auto found = schema.columns.find(name);
  return found == schema.columns.end() ? ColumnSpec{} : found->second;
}

bool any_missing(const Column& column, std::span<const std::uint32_t> rows) {
  return std::ranges::any_of(rows, [&](std::uint32_t row) { return column.is_missing(row); });
}

/// Calls work(begin, end) for blocks of rows: a row of the matrix is written, column by column,
/// while it is in the cache.
template <class Work>
void for_blocks(std::size_t rows, Work work) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    work(begin, std::min(begin + kBlock, rows));
  }
}

/// A category of a table, and the column of the matrix that each of its codes goes to.
struct CodedColumn {
  const CodeVector* codes;
  std::vector<std::uint16_t> column_of_code;
  std::uint16_t column_of_missing;
  std::uint64_t unseen = 0;  ///< cells that had no column to go to
};

CodedColumn coded_column(const CategoryColumn& column, const std::vector<std::string>& values,
                         std::size_t first_column, std::uint16_t none) {
  const auto column_of = [&](const std::string& value) {
    const auto found = std::ranges::find(values, value);
    return found == values.end()
               ? none
               : static_cast<std::uint16_t>(first_column + (found - values.begin()));
  };
  CodedColumn coded{&column.codes, {}, column_of(CategoryList::kMissingName)};
  for (const std::string& level : column.levels) coded.column_of_code.push_back(column_of(level));
  return coded;
}

Status check_standardizer(const NumericFeature& feature) {
  const Standardizer& z = feature.standardizer;
  const bool bounds_ok =
      !z.bounds || (std::isfinite(z.bounds->first) && std::isfinite(z.bounds->second) &&
                    z.bounds->first < z.bounds->second);
  if (std::isfinite(z.centre) && std::isfinite(z.scale) && z.scale > 0 && bounds_ok) return {};
  return failed(
      fmt::format("the numbers of '{0}' are too large or too small to be scaled; drop the column, "
                  "or declare its range with `columns.bounds` '{0}=0:100'",
                  printable(feature.column)));
}

/// The persons of `rows`, numbered from 0 in order of appearance.
std::size_t renumber_units(const Table& table, std::span<const std::uint32_t> rows,
                           std::vector<std::uint32_t>& units) {
  units.resize(rows.size());
  std::vector<std::uint32_t> number(table.unit_count, CodeVector::kMissing);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t& unit = number[table.units.empty() ? rows[i] : table.units[rows[i]]];
    if (unit == CodeVector::kMissing) unit = next++;
    units[i] = unit;
  }
  return next;
}

/// Refuses names, dates and codes, which have about a value a row: all of them at once.
Status check_categories(const std::vector<CategoryFeature>& features, std::size_t rows) {
  std::vector<std::string> refused, with_counts;
  for (const CategoryFeature& feature : features) {
    const CategoryList& list = feature.categories;
    const auto missing = std::ranges::count(list.values, CategoryList::kMissingName);
    const std::size_t values = list.values.size() - static_cast<std::size_t>(missing);
    if (list.provenance == Provenance::kGiven || !too_many_categories(values, rows)) continue;
    refused.push_back(feature.column);
    with_counts.push_back(
        fmt::format("'{}' has {}", printable(feature.column), with_thousands(values)));
  }
  if (refused.empty()) return {};
  if (refused.size() == 1) {
    return failed(
        fmt::format("column {1} different values; leave it out with `drop` '{0}', or "
                    "name it with `id` '{0}' if it identifies persons",
                    refused.front(), with_counts.front()));
  }
  return failed(
      fmt::format("columns with too many different values: {}; leave them out with `drop` "
                  "'{}', or name the one that identifies persons with `id`",
                  fmt::join(with_counts, ", "), fmt::join(refused, ",")));
}

}  // namespace

Result<Pipeline> Pipeline::fit(const Table& table, std::span<const std::uint32_t> rows) {
  std::vector<NumericFeature> numbers;
  std::vector<CategoryFeature> categories;
  const Adjacency adjacency = table.schema.adjacency;
  const bool keep_missing = table.schema.missing == MissingPolicy::kCategory;
  for (const Column& column : table.features) {
    const ColumnSpec spec = spec_of(table.schema, column.name);
    if (const auto* numeric = std::get_if<NumericColumn>(&column.data)) {
      NumericFeature feature{.column = column.name};
      DPFERMI_ASSIGN(feature.standardizer,
                     fit_standardizer(column.name, *numeric, rows, spec.bounds, adjacency));
      // Whether anything is missing is itself read from the data: protected, it is assumed.
      feature.missing_indicator =
          keep_missing && (!features_are_public(adjacency) || any_missing(column, rows));
      numbers.push_back(std::move(feature));
    } else {
      if (spec.bounds) {
        return usage_error(
            fmt::format("bounds are declared for '{0}', which is categorical; leave them "
                        "out or use `numeric` '{0}'",
                        column.name));
      }
      CategoryFeature feature{.column = column.name};
      DPFERMI_ASSIGN(feature.categories,
                     fit_categories(column.name, std::get<CategoryColumn>(column.data), rows,
                                    spec.values, keep_missing, adjacency));
      categories.push_back(std::move(feature));
    }
  }
  DPFERMI_TRY(check_categories(categories, rows.size()));
  return create(std::move(numbers), std::move(categories));
}

Result<Pipeline> Pipeline::create(std::vector<NumericFeature> numeric,
                                  std::vector<CategoryFeature> categories) {
  Pipeline pipeline;
  std::set<std::string> seen;
  const auto check_new = [&](const std::string& column) -> Status {
    if (seen.insert(column).second) return {};
    return failed(fmt::format("column '{}' is a feature twice; leave one out", printable(column)));
  };
  for (const NumericFeature& feature : numeric) {
    DPFERMI_TRY(check_new(feature.column));
    DPFERMI_TRY(check_standardizer(feature));
    pipeline.columns_ += feature.missing_indicator ? 2 : 1;
    pipeline.indicators_ += feature.missing_indicator ? 1 : 0;
  }
  for (const CategoryFeature& feature : categories) {
    DPFERMI_TRY(check_new(feature.column));
    pipeline.columns_ += feature.categories.values.size();
  }
  if (pipeline.columns_ > HybridMatrix::kMaxColumns) {
    return failed(
        fmt::format("the table has {} input columns after encoding, {} at most; drop columns "
                    "with many categories",
                    with_thousands(pipeline.columns_), with_thousands(HybridMatrix::kMaxColumns)));
  }
  pipeline.numeric_ = std::move(numeric);
  pipeline.categories_ = std::move(categories);
  return pipeline;
}

std::vector<std::string> Pipeline::column_names() const {
  std::vector<std::string> names;
  for (const NumericFeature& feature : numeric_) names.push_back(feature.column);
  for (const NumericFeature& feature : numeric_) {
    if (feature.missing_indicator) {
      names.push_back(fmt::format("{}={}", feature.column, CategoryList::kMissingName));
    }
  }
  for (const CategoryFeature& feature : categories_) {
    for (const std::string& value : feature.categories.values) {
      names.push_back(fmt::format("{}={}", feature.column, value));
    }
  }
  return names;
}

Status Pipeline::check_columns(const Table& table) const {
  const auto check = [&](const std::string& name, bool numeric) -> Status {
    const Column* column = find_column(table, name);
    if (column == nullptr) {
      return failed(fmt::format("the table has no column '{}', which the model needs", name));
    }
    if (std::holds_alternative<NumericColumn>(column->data) != numeric) {
      return failed(fmt::format("column '{}' must be {} as in training", name,
                                numeric ? "numeric" : "categorical"));
    }
    return {};
  };
  for (const NumericFeature& feature : numeric_) DPFERMI_TRY(check(feature.column, true));
  for (const CategoryFeature& feature : categories_) DPFERMI_TRY(check(feature.column, false));
  return {};
}

void Pipeline::encode_numbers(const Table& table, std::span<const std::uint32_t> rows,
                              HybridMatrix& x) const {
  std::vector<std::span<const double>> columns;
  for (const NumericFeature& feature : numeric_) {
    columns.push_back(std::get<NumericColumn>(find_column(table, feature.column)->data).values);
  }
  const auto none = static_cast<std::uint16_t>(columns_);
  for_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    std::size_t indicator = 0;
    for (std::size_t f = 0; f < numeric_.size(); ++f) {
      const NumericFeature& feature = numeric_[f];
      for (std::size_t i = begin; i < end; ++i) {
        x.row(i).numbers[f] = feature.standardizer.apply(columns[f][rows[i]]);
      }
      if (!feature.missing_indicator) continue;
      const auto column = static_cast<std::uint16_t>(numeric_.size() + indicator);
      for (std::size_t i = begin; i < end; ++i) {
        x.row(i).ones[indicator] = std::isnan(columns[f][rows[i]]) ? column : none;
      }
      ++indicator;
    }
  });
}

void Pipeline::encode_categories(const Table& table, std::span<const std::uint32_t> rows,
                                 EncodedDataset& out) const {
  const auto none = static_cast<std::uint16_t>(columns_);
  std::vector<CodedColumn> columns;
  std::size_t first_column = numeric_.size() + indicators_;
  for (const CategoryFeature& feature : categories_) {
    const auto& column = std::get<CategoryColumn>(find_column(table, feature.column)->data);
    columns.push_back(coded_column(column, feature.categories.values, first_column, none));
    first_column += feature.categories.values.size();
  }
  for_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = 0; f < columns.size(); ++f) {
      CodedColumn& column = columns[f];
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t code = (*column.codes)[rows[i]];
        const std::uint16_t one =
            code == CodeVector::kMissing ? column.column_of_missing : column.column_of_code[code];
        out.data.x.row(i).ones[indicators_ + f] = one;
        column.unseen += one == none ? 1 : 0;
      }
    }
  });
  for (std::size_t f = 0; f < columns.size(); ++f) {
    if (columns[f].unseen > 0) out.unseen.push_back({categories_[f].column, columns[f].unseen});
  }
}

Result<EncodedDataset> Pipeline::apply(const Table& table,
                                       std::span<const std::uint32_t> rows) const {
  DPFERMI_TRY(check_columns(table));
  EncodedDataset out;
  Dataset& data = out.data;
  std::vector<std::size_t> sizes(indicators_, 1);
  for (const CategoryFeature& feature : categories_) {
    sizes.push_back(feature.categories.values.size());
  }
  data.x = HybridMatrix(rows.size(), numeric_.size(), std::move(sizes));
  encode_numbers(table, rows, data.x);
  encode_categories(table, rows, out);
  if (!table.labels.y.empty()) {
    data.y.reserve(rows.size());
    for (const std::uint32_t row : rows) data.y.push_back(table.labels.y[row]);
  }
  if (!table.weights.empty()) {
    data.weights.reserve(rows.size());
    for (const std::uint32_t row : rows) data.weights.push_back(table.weights[row]);
  }
  if (!table.scores.empty()) {
    const std::size_t l = table.scores.size() / table.rows;
    data.scores.reserve(rows.size() * l);
    for (const std::uint32_t row : rows) {
      const auto own = std::span(table.scores).subspan(row * l, l);
      data.scores.insert(data.scores.end(), own.begin(), own.end());
    }
  }
  data.classes = table.labels.classes.size();
  data.groups = table.domain.size();
  if (data.groups > 0) {
    DPFERMI_ASSIGN(data.s, table.groups.select(rows));
  }
  data.unit_count = renumber_units(table, rows, data.units);
  data.persons = !table.units.empty();
  return out;
}

}  // namespace dpfermi
