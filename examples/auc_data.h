#pragma once

/// What the AUC example trains on, and how it is judged. Whole records are protected, so nothing
/// about the inputs may be looked up in the data: bounds (values outside are clamped) and
/// categories are declared here.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "auc_problem.h"
#include "data/census.h"
#include "data/registry.h"
#include "data/table_choice.h"
#include "workflow/load.h"

namespace dpfermi::examples {

inline void declare_number(Schema& schema, const std::string& column, double low, double high) {
  schema.columns[column].type = ColumnType::kNumeric;
  schema.columns[column].bounds = {low, high};
}

/// Values printed by `pattern` for first, ..., last.
inline void declare_categories(Schema& schema, const std::string& column, int first, int last,
                               const std::string& pattern = "{}") {
  schema.columns[column].type = ColumnType::kCategorical;
  for (int value = first; value <= last; ++value) {
    schema.columns[column].values.push_back(fmt::format(fmt::runtime(pattern), value));
  }
}

inline Result<Table> credit_table(const std::string& folder) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset("credit-card"));
  DPFERMI_ASSIGN(const auto path, locate_dataset(dataset, data_folders(folder)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant("honest"));
  TableRequest request = table_request(variant, path);
  request.schema.adjacency = Adjacency::kReplaceRecord;
  declare_number(request.schema, "LIMIT_BAL", 0, 500'000);
  declare_number(request.schema, "AGE", 20, 70);
  for (int month = 1; month <= 6; ++month) {
    declare_number(request.schema, fmt::format("BILL_AMT{}", month), 0, 200'000);
    declare_number(request.schema, fmt::format("PAY_AMT{}", month), 0, 20'000);
    declare_categories(request.schema, fmt::format("PAY_{}", month == 1 ? 0 : month), -2, 8);
  }
  declare_categories(request.schema, "EDUCATION", 1, 4);
  declare_categories(request.schema, "MARRIAGE", 1, 3);
  return read_table(request);
}

inline Result<Table> census_table() {
  const CensusSpec spec;
  std::ostringstream csv;
  DPFERMI_TRY(write_census(spec, csv));
  Schema schema = census_schema(spec);
  schema.adjacency = Adjacency::kReplaceRecord;
  schema.target.values = {"low", "high"};
  declare_number(schema, "age", 17, 90);
  declare_number(schema, "education_years", 1, 20);
  declare_number(schema, "hours_per_week", 1, 99);
  declare_number(schema, "tenure_years", 0, 45);
  declare_categories(schema, "occupation", 0, 11, "occupation_{:02}");
  declare_categories(schema, "sector", 0, 6, "sector_{:02}");
  declare_categories(schema, "household", 0, 4, "household_{:02}");
  declare_categories(schema, "region", 0, 9, "region_{:02}");
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("synthetic census", std::move(csv).str()));
  return read_table(std::move(sources), schema);
}

/// Credit; without its files, and without a folder to look in, the census.
inline Result<Table> example_table(const std::string& folder, bool synthetic) {
  if (synthetic) return census_table();
  Result<Table> credit = credit_table(folder);
  if (credit || !folder.empty()) return credit;
  fmt::print(stderr, "{}; going on with a synthetic census\n", credit.error().message);
  return census_table();
}

/// The share of pairs (positive, negative) in the right order; half for equal scores.
inline double auc(const Dataset& data, const LinearScore& score, std::size_t positive,
                  std::span<const double> v) {
  std::vector<std::pair<double, bool>> rows;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    rows.emplace_back(score.score(data.x.row(i), v), data.y[i] == positive);
  }
  std::ranges::sort(rows);
  double pairs = 0;
  double negatives = 0;
  for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
    double ties[2] = {0, 0};
    for (; end < rows.size() && rows[end].first == rows[i].first; ++end) ++ties[rows[end].second];
    pairs += ties[1] * (negatives + ties[0] / 2);
    negatives += ties[0];
  }
  return pairs / (negatives * (static_cast<double>(rows.size()) - negatives));
}

struct Sides {
  Protected<Dataset> train;
  Dataset test;
  LinearScore score;
  std::uint32_t rows;  ///< of train
  std::size_t positive;
};

inline Result<Sides> split(const Table& table, std::uint64_t seed) {
  DPFERMI_ASSIGN(const Split rows, split_table(table, {}, {0.25, seed}));
  DPFERMI_ASSIGN(EncodedSplit encoded, encode_split(table, rows));
  const LinearScore score(encoded.train.x);
  return Sides{Protected(std::move(encoded.train)), encoded.test.value(), score,
               static_cast<std::uint32_t>(rows.train.size()), table.labels.positive};
}

/// A yardstick: logistic regression by gradient descent, without privacy.
inline double logistic_auc(const Sides& data) {
  const Dataset& rows = ExactForHolder::read(data.train);
  std::vector<double> v(data.score.columns());
  for (int step = 0; step < 300; ++step) {
    std::vector<double> gradient(v.size());
    for (std::uint32_t i = 0; i < data.rows; ++i) {
      const double chance = 1 / (1 + std::exp(-data.score.score(rows.x.row(i), v)));
      data.score.add_gradient(rows.x.row(i), chance - (rows.y[i] == data.positive), gradient);
    }
    descend(gradient, 8.0 / data.rows, v);
  }
  return auc(data.test, data.score, data.positive, v);
}

}  // namespace dpfermi::examples
