#include "audit/front_door_rehearsal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "artifact/sketch_file.h"
#include "audit/invention.h"
#include "data/byte_source.h"
#include "data/table_choice.h"
#include "preprocess/pipeline_json.h"
#include "workflow/private_evaluation.h"
#include "workflow/sketch_run.h"
#include "workflow/training_run.h"

namespace dpfermi {
namespace {

constexpr const char* kUndeclared = "an undeclared group";

/// Every text that a column may hold, as declared.
Schema schema_of(const AuditCase& audited) {
  const Dataset& data = audited.data;
  const auto names = [](char letter, std::size_t first, std::size_t count) {
    std::vector<std::string> list;
    for (std::size_t i = first; i < first + count; ++i)
      list.push_back(fmt::format("{}{}", letter, i));
    return list;
  };
  Schema schema;
  schema.adjacency = audited.request.adjacency;
  schema.target = {.column = "label",
                   .positive = fmt::format("y{}", audited.favourable),
                   .values = names('y', 0, data.classes)};
  schema.sensitive = {{.column = "group", .values = names('g', 0, data.groups)}};
  if (data.persons) schema.id = "person";
  if (!data.weights.empty()) schema.weight = "weight";
  if (!data.scores.empty()) schema.scores = names('p', 0, data.classes);
  for (std::size_t i = 0; i < data.x.number_count(); ++i) {
    schema.columns[fmt::format("number{}", i)] = {.type = ColumnType::kNumeric,
                                                  .bounds = {{-kLargestNumber, kLargestNumber}}};
  }
  std::size_t first = data.x.number_count();
  for (std::size_t c = 0; c < data.x.category_count(); ++c) {
    const std::size_t size = data.x.category_sizes()[c];
    schema.columns[fmt::format("category{}", c)] = {.type = ColumnType::kCategorical,
                                                    .values = names('v', first, size)};
    first += size;
  }
  return schema;
}

std::string header_of(const Dataset& data) {
  std::string line = data.persons ? "person," : "";
  for (std::size_t i = 0; i < data.x.number_count(); ++i) line += fmt::format("number{},", i);
  for (std::size_t c = 0; c < data.x.category_count(); ++c) line += fmt::format("category{},", c);
  if (!data.weights.empty()) line += "weight,";
  for (std::size_t j = 0; !data.scores.empty() && j < data.classes; ++j) {
    line += fmt::format("p{},", j);
  }
  return line + "group,label\n";
}

/// The table, read by the reader of every other table. What it protects was made up.
Result<PreparedData> prepare(const InventedTable& invented) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("invented.csv", invented.text));
  PreparedData data;
  DPFERMI_ASSIGN(data.table, read_table(std::move(sources), invented.schema));
  data.table.groups = Protected<std::vector<std::uint16_t>>::rehearsal(
      ExactForHolder::read(data.table.groups), Invented::kRecords);
  DPFERMI_TRY(check_complete(data.table));
  DPFERMI_ASSIGN(EncodedSplit encoded, encode_split(data.table, {all_rows(data.table), {}}));
  data.pipeline = std::move(encoded.pipeline);
  data.train = std::move(encoded.train);
  return data;
}

class Remarks final : public Observer {
 public:
  void note(std::string_view line) override { text_ += fmt::format("{}\n", line); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Files = std::vector<std::pair<std::string, std::string>>;

Result<TrainedModel> train_at_door(const AuditCase& audited, const PreparedData& data,
                                   std::uint64_t seed, StepLedger& ledger, Files& files) {
  TrainingJob job;
  job.choice.title = "invented.csv";
  job.choice.request.schema = data.table.schema;
  job.split.test_fraction = 0;
  job.request = audited.request;
  job.features.kind = audited.request.features.kind;
  job.features.details = audited.request.features;
  job.seed = seed;
  job.spending.audit_ledger = &ledger;
  Remarks remarks;
  DPFERMI_ASSIGN(TrainingOutcome outcome, run_training(remarks, std::move(job), data));
  DPFERMI_ASSIGN(std::string bytes, encode_model(outcome.model));
  files.emplace_back("the model file", std::move(bytes));
  files.emplace_back("the model's card", describe_card(outcome.model));
  files.emplace_back("remarks", remarks.text());
  return std::move(outcome.model);
}

Status sketch_at_door(const AuditCase& audited, const PreparedData& data, std::uint64_t seed,
                      StepLedger& ledger, Files& files) {
  SketchJob job;
  job.choice.title = "invented.csv";
  job.choice.request.schema = data.table.schema;
  job.request.notion = audited.request.notion;
  job.request.epsilon = audited.request.epsilon;
  job.seed = seed;
  job.spending.audit_ledger = &ledger;
  DPFERMI_ASSIGN(const SketchOutcome outcome, run_sketch(job, &data));
  DPFERMI_ASSIGN(std::string bytes, encode_sketch(outcome.sketch));
  files.emplace_back("the sketch file", std::move(bytes));
  files.emplace_back("the sketch's card", describe_card(outcome.sketch));
  return {};
}

Status evaluate_at_door(const AuditCase& audited, const TrainedModel& model, PreparedData data,
                        std::uint64_t seed, StepLedger& ledger, Files& files) {
  PrivateEvaluationChoice choice;
  choice.epsilon = audited.request.epsilon;
  choice.delta = audited.request.delta;
  choice.seed = seed;
  choice.spending.audit_ledger = &ledger;
  const EvaluationData rows{
      "invented.csv", {}, std::move(data.table), {std::move(data.train), {}}, {}};
  DPFERMI_ASSIGN(const PrivateEvaluation evaluation, evaluate_privately(model, rows, choice));
  files.emplace_back("private figures", to_json(evaluation.metrics, rows.rows.data.persons,
                                                rows.table.domain.names()));
  files.emplace_back("the figures' statement", to_json(evaluation.statement));
  return {};
}

/// Which rows the usual split holds out, and how the others are encoded.
Status split_at_door(const Table& table, Files& files) {
  DPFERMI_ASSIGN(const Split split, split_table(table, {}, {}));
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, split));
  files.emplace_back("split and encoding",
                     fmt::format("{}\n{}", fmt::join(split.test, " "), to_json(encoded.pipeline)));
  return {};
}

Status run_all(const AuditCase& audited, const InventedTable& table, std::uint64_t seed,
               StepLedger& ledger, Files& files) {
  DPFERMI_ASSIGN(PreparedData data, prepare(table));
  DPFERMI_TRY(split_at_door(data.table, files));
  DPFERMI_ASSIGN(const TrainedModel model, train_at_door(audited, data, seed, ledger, files));
  if (features_are_public(audited.request.adjacency)) {
    DPFERMI_TRY(sketch_at_door(audited, data, seed + 1, ledger, files));
  }
  return evaluate_at_door(audited, model, std::move(data), seed + 2, ledger, files);
}

}  // namespace

InventedTable table_of(const AuditCase& audited, const Dataset& data,
                       std::optional<std::uint32_t> undeclared) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  std::string text = header_of(data);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    if (data.persons) text += fmt::format("person{},", data.units[row]);
    for (const float number : data.x.row(row).numbers) text += fmt::format("{},", number);
    for (const std::uint16_t one : data.x.row(row).ones) {
      text += one < data.x.columns() ? fmt::format("v{},", one) : ",";
    }
    if (!data.weights.empty()) text += fmt::format("{},", data.weights[row]);
    for (std::size_t j = 0; !data.scores.empty() && j < data.classes; ++j) {
      text += fmt::format("{},", data.scores[row * data.classes + j]);
    }
    text += data.units[row] == undeclared ? kUndeclared : fmt::format("g{}", s[row]);
    text += fmt::format(",y{}\n", data.y[row]);
  }
  return {std::move(text), schema_of(audited)};
}

Result<Rehearsal> rehearse_front_door(const AuditCase& audited, const InventedTable& table,
                                      std::uint64_t seed, ReleaseTap& tap) {
  Rehearsal rehearsal;
  AuditLedger ledger(tap);
  const Status ran = run_all(audited, table, seed, ledger, rehearsal.files);
  rehearsal.outcome = ran.map([] { return TrainingResult{}; });
  rehearsal.plans = ledger.plans();
  rehearsal.claims = ledger.claims();
  return rehearsal;
}

}  // namespace dpfermi
