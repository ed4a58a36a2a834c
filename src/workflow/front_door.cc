#include <cstdio>

#include "dpfermi/dpfermi.h"
#include "workflow/model_use.h"
#include "workflow/private_evaluation.h"
#include "workflow/sketch_run.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// A loaded table and what it was loaded from.
struct PreparedTable {
  TableChoice choice;
  SplitChoice split;
  PreparedData data;
};

namespace {

/// The schema with what the options say.
Schema schema_of(const LoadOptions& options) {
  Schema schema = options.schema;
  schema.adjacency = options.adjacency;
  if (!options.target.empty()) schema.target.column = options.target;
  if (!options.positive.empty()) schema.target.positive = options.positive;
  if (!options.id.empty()) schema.id = options.id;
  if (!options.drop.empty()) schema.drop = options.drop;
  if (!options.sensitive.empty()) schema.sensitive.clear();
  for (const std::string& column : options.sensitive) {
    SensitiveSpec spec{.column = column};
    if (const auto values = options.sensitive_values.find(column);
        values != options.sensitive_values.end()) {
      spec.values = values->second;
    }
    if (const auto bins = options.sensitive_bins.find(column);
        bins != options.sensitive_bins.end()) {
      spec.bins = bins->second;
    }
    schema.sensitive.push_back(std::move(spec));
  }
  return schema;
}

SpendingChoice spending_of(const LedgerFile& ledger, const RunOptions& options) {
  SpendingChoice spending;
  spending.open = ledger;
  spending.budget = options.budget;
  return spending;
}

TrainingJob job_of(const PreparedTable& table, const TrainingRequest& request,
                   const RunOptions& options) {
  TrainingJob job;
  job.choice = table.choice;
  job.split = table.split;
  job.request = request;
  job.seed = options.seed;
  job.threads = options.threads;
  return job;
}

}  // namespace

std::size_t LoadedTable::training_rows() const {
  return table_->data.train.rows();
}

std::size_t LoadedTable::test_rows() const {
  return table_->data.test ? table_->data.test->rows() : 0;
}

const std::vector<std::string>& LoadedTable::classes() const {
  return table_->data.table.labels.classes;
}

const std::vector<std::string>& LoadedTable::groups() const {
  return table_->data.table.domain.names();
}

Result<LoadedTable> load(const std::string& path, const LoadOptions& options) {
  TableChoice choice;
  choice.request.files = {path};
  choice.request.schema = schema_of(options);
  choice.title = path == "-" ? "standard input" : path;
  const SplitChoice split{options.test_fraction, options.split_seed};
  DPFERMI_ASSIGN(PreparedData data, prepare_data(choice, split));
  return LoadedTable(std::make_shared<const PreparedTable>(
      PreparedTable{std::move(choice), split, std::move(data)}));
}

Result<LedgerFile> open_ledger(const std::string& path) {
  return LedgerFile::open_or_create(path);
}

Result<TrainingOutcome> train(const LoadedTable& table, const TrainingRequest& request,
                              LedgerFile& ledger, const RunOptions& options) {
  TrainingJob job = job_of(table.prepared(), request, options);
  job.spending = spending_of(ledger, options);
  Observer silent;
  Observer& observer = options.observer != nullptr ? *options.observer : silent;
  return run_training(observer, std::move(job), table.prepared().data);
}

Result<TrainingPlan> plan(const LoadedTable& table, const TrainingRequest& request) {
  const TrainingJob job = job_of(table.prepared(), request, {});
  DPFERMI_TRY(check_request(job));
  return plan_job(job, table.prepared().data);
}

Result<SketchOutcome> make_sketch(const LoadedTable& table, const SketchRequest& request,
                                  LedgerFile& ledger, const RunOptions& options) {
  SketchJob job;
  job.choice = table.prepared().choice;
  job.split = table.prepared().split;
  job.request = request;
  job.seed = options.seed;
  job.spending = spending_of(ledger, options);
  return run_sketch(job, table.prepared().data);
}

std::size_t EvaluationTable::rows() const {
  return data_->rows.data.rows();
}

Result<EvaluationTable> load_for(const TrainedModel& model, const std::string& path,
                                 bool held_out) {
  EvaluationChoice choice;
  choice.table.request.files = {path};
  choice.table.title = path;
  choice.held_out = held_out;
  choice.persons = true;
  Observer silent;
  DPFERMI_ASSIGN(EvaluationData data, read_evaluation_data(silent, model, choice));
  return EvaluationTable(std::make_shared<const EvaluationData>(std::move(data)));
}

Result<Metrics> evaluate_exactly(const TrainedModel& model, const EvaluationTable& table) {
  return measure(model, table.data().rows.data);
}

Result<PrivateEvaluation> evaluate_privately(const TrainedModel& model,
                                             const EvaluationTable& table,
                                             const EvaluationRequest& request, LedgerFile& ledger,
                                             const RunOptions& options) {
  return evaluate_privately(model, table.data(),
                            {.epsilon = request.epsilon,
                             .delta = request.delta,
                             .units = request.declared_units,
                             .seed = options.seed,
                             .spending = spending_of(ledger, options)});
}

int complain(const Error& error) {
  std::fprintf(stderr, "dpfermi: %s\n", error.message.c_str());
  return static_cast<int>(error.kind);
}

}  // namespace dpfermi
