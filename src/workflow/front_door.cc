#include "workflow/front_door.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "artifact/plan_json.h"
#include "artifact/sketch_file.h"
#include "core/text.h"
#include "workflow/model_use.h"
#include "workflow/prediction.h"
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

/// Refuses a declared domain of a column that is not protected: most likely a typing error, after
/// which the domain would be taken from the data.
template <class Domains>
Status check_domains(const LoadOptions& options, const Domains& domains) {
  for (const auto& [column, domain] : domains) {
    if (contains(options.sensitive, column)) continue;
    return usage_error(
        fmt::format("values or bins are declared for '{}', which is not among the "
                    "protected columns; add it to sensitive, or leave it out",
                    printable(column)));
  }
  return {};
}

/// The schema with what the options say. A protected column keeps the domain that the schema
/// declares for it, unless the options declare another.
Schema schema_of(const LoadOptions& options) {
  Schema schema = options.schema;
  schema.adjacency = options.adjacency.value_or(schema.adjacency);
  if (!options.target.empty()) schema.target.column = options.target;
  if (!options.positive.empty()) schema.target.positive = options.positive;
  if (!options.id.empty()) schema.id = options.id;
  if (!options.weight.empty()) schema.weight = options.weight;
  if (!options.drop.empty()) schema.drop = options.drop;
  schema.groups_from_data |= options.groups_from_data;
  if (!options.sensitive.empty()) schema.sensitive.clear();
  for (const std::string& column : options.sensitive) {
    const auto& known = options.schema.sensitive;
    const auto same = std::ranges::find(known, column, &SensitiveSpec::column);
    SensitiveSpec spec = same == known.end() ? SensitiveSpec{.column = column} : *same;
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

TableChoice file_choice(const std::string& path) {
  TableChoice choice;
  choice.request.files = {path};
  choice.title = table_title(path);
  return choice;
}

Status set_schema(const LoadOptions& options, TableChoice& choice) {
  DPFERMI_TRY(check_domains(options, options.sensitive_values));
  DPFERMI_TRY(check_domains(options, options.sensitive_bins));
  choice.request.schema = schema_of(options);
  return {};
}

SpendingChoice spending_of(const LedgerFile& ledger, const RunOptions& options) {
  SpendingChoice spending;
  spending.open = ledger;
  spending.budget = options.budget;
  spending.part_of_budget = options.part_of_budget;
  spending.rehearsal = options.rehearsal;
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
  job.checkpoint.file = options.checkpoint;
  job.checkpoint.every = options.checkpoint_every;
  job.checkpoint.resume = options.resume;
  job.features = {.kind = request.features.kind, .details = request.features, .model_file = {}};
  return job;
}

/// Where whole records are protected so is its error.
std::optional<ConstantModel> public_constant(const TrainingOutcome& outcome) {
  if (!features_are_public(outcome.model.schema.adjacency)) return std::nullopt;
  return outcome.constant;
}

Result<TrainingRun> run_on(const LoadedTable& table, TrainingJob job, Observer* given) {
  Observer silent;
  DPFERMI_ASSIGN(TrainingOutcome outcome, run_training(given != nullptr ? *given : silent,
                                                       std::move(job), table.prepared().data));
  std::optional<Plan> plan;
  if (outcome.plan) plan.emplace(std::move(*outcome.plan));
  return TrainingRun{.model = Model(std::move(outcome.model)),
                     .plan = std::move(plan),
                     .train = std::move(outcome.train),
                     .test = std::move(outcome.test),
                     .violation = outcome.violation,
                     .constant = public_constant(outcome),
                     .seconds = outcome.train_seconds,
                     .charge = std::move(outcome.charge)};
}

/// The table says what is protected; a request may repeat it.
Status check_adjacency(Adjacency asked, const LoadedTable& table) {
  const Adjacency loaded = table.prepared().data.table.schema.adjacency;
  if (asked == loaded || asked == Adjacency::kSensitive) return {};
  return usage_error(fmt::format(
      "the table was loaded under adjacency {}, the request asks for {}; load it under that",
      to_string(loaded), to_string(asked)));
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

bool LoadedTable::groups_declared() const {
  return table_->data.table.domain.declared();
}

Model::Model(TrainedModel model) : model_(std::make_shared<const TrainedModel>(std::move(model))) {}

const std::vector<std::string>& Model::classes() const {
  return model_->classes;
}

const std::vector<std::string>& Model::groups() const {
  return model_->groups;
}

const PrivacyStatement& Model::privacy() const {
  return model_->privacy;
}

std::string Model::card() const {
  return describe_card(*model_);
}

Result<std::string> Model::to_json() const {
  return header_to_json(*model_);
}

Result<std::string> Model::digest() const {
  return model_digest(*model_);
}

Status write_model(const Model& model, const std::filesystem::path& path) {
  return write_model(model.parts(), path);
}

Result<Model> load_model(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(TrainedModel model, read_model(path));
  return Model(std::move(model));
}

Plan::Plan(TrainingPlan plan) : plan_(std::make_shared<const TrainingPlan>(std::move(plan))) {}

double Plan::epsilon() const {
  return plan_->certified_epsilon;
}

double Plan::delta() const {
  return plan_->delta;
}

std::uint64_t Plan::steps() const {
  return plan_->steps;
}

std::string Plan::to_json() const {
  return dpfermi::to_json(*plan_);
}

FairSketch::FairSketch(StoredSketch sketch)
    : sketch_(std::make_shared<const StoredSketch>(std::move(sketch))) {}

const std::vector<std::string>& FairSketch::groups() const {
  return sketch_->groups;
}

const PrivacyStatement& FairSketch::privacy() const {
  return sketch_->sketch.statement;
}

std::string FairSketch::card() const {
  return describe_card(*sketch_);
}

Status write_sketch(const FairSketch& sketch, const std::filesystem::path& path) {
  return write_sketch(sketch.parts(), path);
}

Result<FairSketch> load_sketch(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(StoredSketch sketch, read_sketch(path));
  return FairSketch(std::move(sketch));
}

Result<TableChoice> table_choice(const std::string& path, const LoadOptions& options) {
  TableChoice choice = file_choice(path);
  DPFERMI_TRY(set_schema(options, choice));
  return choice;
}

TableChoice memory_choice(MemoryTable table) {
  TableChoice choice;
  choice.title = table.name;
  choice.request.memory = std::make_shared<const MemoryTable>(std::move(table));
  return choice;
}

Result<LoadedTable> load(const std::string& path, const LoadOptions& options) {
  return load(file_choice(path), options);
}

Result<LoadedTable> load(TableChoice choice, const LoadOptions& options) {
  DPFERMI_TRY(set_schema(options, choice));
  const SplitChoice split{options.test_fraction, options.split_seed};
  DPFERMI_ASSIGN(PreparedData data, prepare_data(choice, split));
  return LoadedTable(std::make_shared<const PreparedTable>(
      PreparedTable{std::move(choice), split, std::move(data)}));
}

Result<LedgerFile> open_ledger(const std::string& path) {
  return LedgerFile::open_or_create(path);
}

Result<TrainingRun> train(const LoadedTable& table, const TrainingRequest& request,
                          LedgerFile& ledger, const RunOptions& options) {
  DPFERMI_TRY(check_adjacency(request.adjacency, table));
  TrainingJob job = job_of(table.prepared(), request, options);
  job.spending = spending_of(ledger, options);
  return run_on(table, std::move(job), options.observer);
}

Result<TrainingRun> train(const LoadedTable& table, const TrainingRequest& request,
                          const RunOptions& options) {
  const Adjacency adjacency = table.prepared().data.table.schema.adjacency;
  if (!request.method->plain || !features_are_public(adjacency)) {
    return usage_error(fmt::format(
        "`method` {} reads protected data under adjacency {}; give it a `ledger`, or use erm under "
        "adjacency sensitive, which reads none",
        to_string(request.method), to_string(adjacency)));
  }
  DPFERMI_TRY(check_adjacency(request.adjacency, table));
  return run_on(table, job_of(table.prepared(), request, options), options.observer);
}

Result<TrainingRun> train(const LoadedTable& table, const FairSketch& sketch,
                          const TrainingRequest& request, const RunOptions& options) {
  TrainingJob job = job_of(table.prepared(), request, options);
  job.stored_sketch = &sketch.parts();
  return run_on(table, std::move(job), options.observer);
}

Result<Predictions> predict(const Model& model, const std::string& path) {
  return predict(model, file_choice(path));
}

Result<Predictions> predict(const Model& model, TableChoice choice) {
  PredictionChoice prediction;
  prediction.table = std::move(choice);
  Observer silent;
  DPFERMI_ASSIGN(PredictedRows rows, predict_rows(silent, model.parts(), prediction));
  return std::move(rows.predictions);
}

Result<Plan> plan(const LoadedTable& table, const TrainingRequest& request) {
  DPFERMI_TRY(check_adjacency(request.adjacency, table));
  if (request.method->is_baseline()) {
    return usage_error("plans are for our own methods; choose one of them");
  }
  if (!request.method->public_plan) {
    return usage_error(
        "the paper's noise follows from exact group counts, which a plan does not read; train it");
  }
  const TrainingJob job = job_of(table.prepared(), request, {});
  DPFERMI_TRY(check_request(job));
  DPFERMI_ASSIGN(TrainingPlan plan, plan_job(job, table.prepared().data));
  return Plan(std::move(plan));
}

Result<SketchRun> make_sketch(const LoadedTable& table, const SketchRequest& request,
                              LedgerFile& ledger, const RunOptions& options) {
  DPFERMI_TRY(check_adjacency(request.adjacency, table));
  SketchJob job;
  job.choice = table.prepared().choice;
  job.split = table.prepared().split;
  job.request = request;
  job.seed = options.seed;
  job.spending = spending_of(ledger, options);
  DPFERMI_ASSIGN(SketchOutcome outcome, run_sketch(job, &table.prepared().data));
  return SketchRun{FairSketch(std::move(outcome.sketch)), std::move(outcome.charge)};
}

std::size_t EvaluationTable::rows() const {
  return data_->rows.data.rows();
}

const std::vector<std::string>& EvaluationTable::groups() const {
  return data_->table.domain.names();
}

Result<EvaluationTable> load_for(const Model& model, const std::string& path, bool held_out) {
  return load_for(model, file_choice(path), held_out);
}

Result<EvaluationTable> load_for(const Model& model, TableChoice choice, bool held_out) {
  EvaluationChoice evaluation;
  evaluation.table = std::move(choice);
  evaluation.held_out = held_out;
  Observer silent;
  DPFERMI_ASSIGN(EvaluationData data, read_evaluation_data(silent, model.parts(), evaluation));
  DPFERMI_ASSIGN(std::string digest, model.digest());
  return EvaluationTable(std::make_shared<const EvaluationData>(std::move(data)),
                         std::move(digest));
}

Status EvaluationTable::check_model(const Model& model) const {
  DPFERMI_ASSIGN(const std::string digest, model.digest());
  if (digest == model_digest_) return {};
  return usage_error("the table was loaded for another model; load it for this one");
}

Result<Metrics> evaluate_exactly(const Model& model, const EvaluationTable& table) {
  DPFERMI_TRY(table.check_model(model));
  return measure(model.parts(), table.data().rows.data);
}

Result<PrivateEvaluation> evaluate_privately(const Model& model, const EvaluationTable& table,
                                             const EvaluationRequest& request, LedgerFile& ledger,
                                             const RunOptions& options) {
  DPFERMI_TRY(table.check_model(model));
  return evaluate_privately(model.parts(), table.data(),
                            {.epsilon = request.epsilon,
                             .delta = request.delta,
                             .units = request.declared_units,
                             .seed = options.seed,
                             .spending = spending_of(ledger, options)});
}

}  // namespace dpfermi
