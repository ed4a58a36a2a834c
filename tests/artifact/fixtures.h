#pragma once

/// A small model with something in every field.

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "data/table_reader.h"

namespace dpfermi::testing_support {

inline Result<Table> read_text(const std::string& text, const Schema& schema, TableUse use) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema, use);
}

inline Schema income_schema() {
  Schema schema;
  schema.target = {.column = "income", .positive = "high"};
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}, {.column = "band", .bins = {30}}};
  schema.id = "who";
  schema.drop = {"note"};
  schema.missing = MissingPolicy::kDrop;
  schema.columns["job"].recode = {{"koch", "cook"}};
  schema.columns["income"].recode = {{"high.", "high"}};
  return schema;
}

inline const std::string kIncomeText =
    "who,note,age,job,sex,band,income\n"
    "a,x,30,clerk,m,20,low\n"
    "b,y,40,koch,f,40,high.\n"
    "c,z,51,cook,x,?,low\n"
    "a,z,0.1,clerk,f,31,high\n";

inline Table income_table() {
  return read_text(kIncomeText, income_schema(), TableUse::kFit).value();
}

inline std::vector<std::uint32_t> all_rows(const Table& table) {
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

inline PrivacyStatement income_statement() {
  PrivacyStatement statement;
  statement.id_column = "who";
  statement.cost = PrivacyCost{1, 1e-9};
  statement.accountant = "PLD, certified upper bound";
  statement.releases = {
      {"training steps",
       PrivacyEvent::create(Adjacency::kSensitive, PoissonGaussianRelease{0.1, 8.1}).value(), 600}};
  return statement;
}

inline TrainedModel income_model(std::vector<std::size_t> hidden = {}) {
  const Table table = income_table();
  TrainedModel model;
  model.pipeline = Pipeline::fit(table, all_rows(table)).value();
  model.spec = {model.pipeline.columns(), 2, std::move(hidden)};
  for (std::size_t i = 0; i < model.spec.parameter_count(); ++i) {
    model.theta.push_back(0.1F * static_cast<float>(i) - 1);
  }
  model.schema = model_schema(table);
  model.classes = table.labels.classes;
  model.favourable = table.labels.positive;
  model.groups = table.domain.names();
  model.privacy = income_statement();
  model.training = {.method = "dp-fermi",
                    .fairness = FairnessNotion::kEqualizedOdds,
                    .lambda = 1.5,
                    .max_violation = 0.05,
                    .epsilon = 1,
                    .delta = 1e-9,
                    .units = 3,
                    .steps = 600,
                    .epochs = 60,
                    .batch = 1,
                    .settings = {{"clip", 0.1}, {"tau", 2}},
                    .data = "people.csv",
                    .protocol = "as it is",
                    .held_out = HeldOut{0.25, 7},
                    .library_version = "0.1.0"};
  model.released = {{"share of m/<=30", 0.25, 0.01}, {"rate of m/<=30", 0.5, {}}};
  return model;
}

}  // namespace dpfermi::testing_support
