#pragma once

/// The front door: from a table to a model that is accurate, fair and private, in ten lines
/// (examples/quickstart.cc). Whatever releases something about protected data takes a ledger and
/// charges it before it reads them. Exact figures (evaluate_exactly, TrainingRun::train and ::test)
/// are for the holder of the data: they are NOT private and must not be passed on.
///
/// LoadedTable, Model, Plan, FairSketch and EvaluationTable are handles: copies share one constant
/// object. They and LedgerFile may be used from several threads at once.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpfermi/core/observer.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/version.h"
#include "dpfermi/data/schema.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/objective/violation_interval.h"
#include "dpfermi/optimize/training_request.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "dpfermi/sketch/sketch_request.h"
#include "dpfermi/workflow/outcome.h"

namespace dpfermi {

/// What the columns of a table mean.
struct LoadOptions {
  std::string target;                  ///< the column to predict
  std::string positive;                ///< its favourable class; empty: the last in order
  std::vector<std::string> sensitive;  ///< protected columns; several form one product attribute
  std::map<std::string, std::vector<std::string>> sensitive_values;  ///< declared domains
  std::map<std::string, std::vector<double>> sensitive_bins;         ///< upper ends of bins
  /// Protected columns that nothing is declared for get the values of the table; see Schema.
  bool groups_from_data = false;
  std::string id;      ///< the person a row belongs to; empty: every row is its own
  std::string weight;  ///< public weights: how much an error about a row counts; empty: all alike
  std::vector<std::string> drop;        ///< columns to ignore
  std::optional<Adjacency> adjacency;   ///< nothing: that of the schema, by default sensitive
  std::optional<double> test_fraction;  ///< held out; a quarter, and 0 where records are protected
  std::uint64_t split_seed = 1;
  Schema schema = {};  ///< everything else; what is set above replaces its counterpart
};

struct PreparedTable;
struct TableChoice;

/// A table that was read, split and encoded. Copies share it.
class LoadedTable {
 public:
  std::size_t training_rows() const;
  std::size_t test_rows() const;
  const std::vector<std::string>& classes() const;

  /// Names of the groups: as declared or, by `groups_from_data`, as found in the table.
  const std::vector<std::string>& groups() const;
  bool groups_declared() const;

  const PreparedTable& prepared() const { return *table_; }

 private:
  friend Result<LoadedTable> load(TableChoice choice, const LoadOptions& options);
  explicit LoadedTable(std::shared_ptr<const PreparedTable> table) : table_(std::move(table)) {}

  std::shared_ptr<const PreparedTable> table_;
};

/// Reads a delimited text file, gzip or not. Charges nothing: no protected value leaves it.
Result<LoadedTable> load(const std::string& path, const LoadOptions& options);

/// The ledger at `path`, which is made if there is none.
Result<LedgerFile> open_ledger(const std::string& path);

struct TrainedModel;
struct TrainingPlan;
struct StoredSketch;

/// A trained model: parameters, preprocessing, privacy statement and training record.
class Model {
 public:
  explicit Model(TrainedModel model);

  const std::vector<std::string>& classes() const;
  const std::vector<std::string>& groups() const;
  const PrivacyStatement& privacy() const;

  std::string card() const;             ///< what it is and what it promises, for people
  Result<std::string> to_json() const;  ///< the header of its file
  Result<std::string> digest() const;   ///< SHA-256 of what it computes and promises
  const TrainedModel& parts() const { return *model_; }

 private:
  std::shared_ptr<const TrainedModel> model_;
};

/// Writes the model file in one step: whole, or not at all.
Status write_model(const Model& model, const std::filesystem::path& path);

/// Refuses whatever is not a whole, undamaged model file of a version it knows.
Result<Model> load_model(const std::filesystem::path& path);

enum class ExportFormat {
  kOnnx,  ///< opset 15 and ai.onnx.ml 2, double precision
  kSql,   ///< one SELECT statement for PostgreSQL and DuckDB
  kJson,  ///< coefficients by name
};
Result<ExportFormat> parse_export_format(std::string_view text);

struct ExportOptions {
  ExportFormat format = ExportFormat::kOnnx;
  std::string table = "people";  ///< that the SQL statement reads
};

/// The model in a form that other programs score (docs/export.md): its decisions, its statement and
/// its card. Refuses, with the reason, what the format cannot express, and whatever reads s.
Result<std::string> export_model(const Model& model, const ExportOptions& options);

/// Every number of a run, fixed before protected data is read.
class Plan {
 public:
  explicit Plan(TrainingPlan plan);

  double epsilon() const;  ///< certified; 0 where nothing is released
  double delta() const;
  std::uint64_t steps() const;
  std::string to_json() const;
  const TrainingPlan& parts() const { return *plan_; }

 private:
  std::shared_ptr<const TrainingPlan> plan_;
};

/// How a run is made; no result but the noise depends on it.
struct RunOptions {
  std::string budget;  ///< that is charged; empty: that of the data
  /// The rows belong to people whom `budget` is about, and may be a part of its data, as folds are:
  /// it is charged in full, whichever data it was tied to. Needs a name of a budget.
  bool part_of_budget = false;
  std::optional<std::uint64_t> seed;  ///< reproducible noise, NOT private; nothing: secret
  bool rehearsal = false;  ///< the data are synthetic: a budget with a limit then allows a seed
  unsigned threads = 1;
  Observer* observer = nullptr;
  std::string checkpoint;  ///< of train: a file that lets a run go on after a crash; empty: none
  std::uint64_t checkpoint_every = 0;  ///< steps between two of them
  std::string resume;  ///< the checkpoint of the same run to go on from; empty: a new run
};

/// What train() returns.
struct TrainingRun {
  Model model;
  std::optional<Plan> plan;  ///< nothing for baselines
  /// Exact, not private: for the holder of the data. Without rows: could not be measured, as the
  /// observer was told.
  Metrics train;
  std::optional<Metrics> test;                 ///< the same
  std::optional<ViolationInterval> violation;  ///< by residual queries
  std::optional<ConstantModel> constant;       ///< where labels are public
  double seconds = 0;                          ///< of training
  ChargeRecord charge;
};

/// Plans, charges, trains, commits, measures. Once a model is paid for and made it is returned:
/// what fails then, closing the run or measuring, is a note to the observer. The adjacency is that
/// of the table: a request that names another record adjacency is refused. So is a table that has
/// changed on disk since it was loaded.
Result<TrainingRun> train(const LoadedTable& table, const TrainingRequest& request,
                          LedgerFile& ledger, const RunOptions& options = {});

/// Trains by a method that reads nothing protected, without a ledger: MethodDescriptor::plain,
/// where features are public. Refuses any other.
Result<TrainingRun> train(const LoadedTable& table, const TrainingRequest& request,
                          const RunOptions& options = {});

/// What train() would do and cost, from public quantities. Reads nothing protected; methods whose
/// plan needs exact group shares (dp-fermi-paper) are refused.
Result<Plan> plan(const LoadedTable& table, const TrainingRequest& request);

/// A released sketch: noisy sums, what they are sums of, and the privacy statement.
class FairSketch {
 public:
  explicit FairSketch(StoredSketch sketch);

  const std::vector<std::string>& groups() const;
  const PrivacyStatement& privacy() const;
  std::string card() const;  ///< what it is, what it permits and what it promises
  const StoredSketch& parts() const { return *sketch_; }

 private:
  std::shared_ptr<const StoredSketch> sketch_;
};

Status write_sketch(const FairSketch& sketch, const std::filesystem::path& path);
Result<FairSketch> load_sketch(const std::filesystem::path& path);

/// What make_sketch() returns.
struct SketchRun {
  FairSketch sketch;
  ChargeRecord charge;
};

/// Releases a sketch of the training rows, from which fair models can be trained without s and at
/// no further cost. Sums up the encoded inputs.
Result<SketchRun> make_sketch(const LoadedTable& table, const SketchRequest& request,
                              LedgerFile& ledger, const RunOptions& options = {});

/// Trains from a sketch of this table, without s and at no cost. The table must have been split as
/// it was for the sketch; `request.method` is Method::kSketch.
Result<TrainingRun> train(const LoadedTable& table, const FairSketch& sketch,
                          const TrainingRequest& request, const RunOptions& options = {});

/// What a model says about the rows of a table, which needs no target. A model that decides by the
/// group reads the protected columns.
Result<Predictions> predict(const Model& model, const std::string& path);

struct EvaluationData;

/// A table that was read as a model reads tables. Copies share it.
class EvaluationTable {
 public:
  std::size_t rows() const;
  /// Of the figures below, in their order. Where training read the list of groups from its data,
  /// "other" follows them, for values that were not in it.
  const std::vector<std::string>& groups() const;
  const EvaluationData& data() const { return *data_; }

  /// Refuses any model but the one that the table was loaded for.
  Status check_model(const Model& model) const;

 private:
  friend Result<EvaluationTable> load_for(const Model& model, TableChoice choice, bool held_out);
  EvaluationTable(std::shared_ptr<const EvaluationData> data, std::string model_digest)
      : data_(std::move(data)), model_digest_(std::move(model_digest)) {}

  std::shared_ptr<const EvaluationData> data_;
  std::string model_digest_;
};

/// Reads a table to judge `model` on. `held_out`: only the rows that training kept for testing,
/// where this is its table.
Result<EvaluationTable> load_for(const Model& model, const std::string& path,
                                 bool held_out = false);

/// Exact figures, which are NOT private: for the holder of the data.
Result<Metrics> evaluate_exactly(const Model& model, const EvaluationTable& table);

/// The same figures with noise and intervals, for anybody.
Result<PrivateEvaluation> evaluate_privately(const Model& model, const EvaluationTable& table,
                                             const EvaluationRequest& request, LedgerFile& ledger,
                                             const RunOptions& options = {});

/// Prints the error to stderr, one line, and returns its exit status.
inline int complain(const Error& error) {
  std::fprintf(stderr, "dpfermi: %s\n", error.message.c_str());
  return static_cast<int>(error.kind);
}

}  // namespace dpfermi
