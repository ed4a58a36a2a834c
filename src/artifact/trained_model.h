#pragma once

/// Everything that a trained model needs to be used and judged by people who do not hold the data:
/// parameters, preprocessing, how a table is read, the privacy statement, what was run. Nothing in
/// it was computed from s without noise; a list of groups that was taken from the table instead of
/// being declared is there because the statement treats it as public.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.h"
#include "dpfermi/core/result.h"
#include "dpfermi/data/schema.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/privacy/statement.h"
#include "model/decision_rule.h"
#include "model/model_spec.h"
#include "preprocess/pipeline.h"

namespace dpfermi {

/// A random part of the rows that was kept for testing (data/split.h).
struct HeldOut {
  double fraction = 0;
  std::uint64_t seed = 0;
};

/// Whether the target was met, by released figures alone.
struct TargetRecord {
  std::optional<bool> met;  ///< nothing: it cannot be told
  std::string reason;       ///< one phrase
};

/// "met", "missed" or "cannot be told".
std::string_view verdict_word(std::optional<bool> met);

/// What was run. Numbers of rows and persons are public or declared, as the adjacency demands.
struct TrainingRecord {
  std::string method;  ///< "dp-fermi"
  FairnessNotion fairness = FairnessNotion::kNone;
  double lambda = 0;                    ///< as it ended
  std::optional<double> max_violation;  ///< the target that lambda was steered to
  std::optional<TargetRecord> target;   ///< what became of it, where released figures tell
  std::string returned;  ///< where the model is not the one that was trained: which, and why
  std::uint64_t merge_small = 0;    ///< groups of fewer units were to be merged; 0: none
  std::vector<std::string> merged;  ///< those that were; empty: at most one was that small
  /// Groups that noise hides, by released counts: they were not compared. "g2 among high" where the
  /// notion has labels.
  std::vector<std::string> hidden;
  std::optional<double> epsilon;  ///< as asked for; what was spent stands in the statement
  std::optional<double> delta;
  std::uint64_t units = 0;  ///< n: records or persons
  std::uint64_t steps = 0;
  double epochs = 0;
  std::uint64_t batch = 0;                 ///< expected size of a batch
  std::map<std::string, double> settings;  ///< step sizes, clip norms and the like, by name
  std::string data;                        ///< title of the data set, or the name of a file
  std::string protocol;                    ///< how it was prepared, where that needs saying
  std::optional<HeldOut> held_out;
  std::string library_version;
};

/// A number that was released with noise and charged, such as the share of a group.
struct ReleasedFigure {
  std::string name;
  double value = 0;
  std::optional<double> noise_stddev;  ///< nothing where sums were smoothed or combined
};

/// The network whose features of an image are the inputs of a model (docs/deep.md): public, or
/// trained on nothing but released figures besides.
struct ImageNetwork {
  std::string architecture;  ///< "vgg9"
  std::uint32_t side = 0;    ///< pixels
  std::string settings;      ///< how it was trained, one line
  std::uint32_t epochs = 0;
  std::vector<float> theta;
  std::vector<float> components;  ///< of its channels (vision/principal_components.h), if any
  /// Upper ends of the classes in the labels of images, where they are bands of a number; a table
  /// of features has the classes themselves.
  std::vector<double> target_bins = {};
  std::string table = {};  ///< name of the file of its words about the images of training
  bool pictures =
      false;  ///< whether components are of channels and pictures (preprocess/picture.h)
};

struct TrainedModel {
  ModelSpec spec;
  /// The parameters, in the order of the spec; those of a mixture's members one after another.
  std::vector<float> theta;
  DecisionRule rule;
  /// Of boosted trees: outputs x inputs, by how much all questions about an encoded input lowered
  /// the loss. They compute nothing. Empty: no trees, or made before gains were kept.
  std::vector<double> gains = {};
  Pipeline pipeline;
  Schema schema;                     ///< reads a table to evaluate on; see model_schema
  std::vector<std::string> classes;  ///< l names, in the order of the labels
  std::size_t favourable = 0;
  std::vector<std::string> groups;  ///< names of the groups, by the declaration
  PrivacyStatement privacy;
  TrainingRecord training;
  std::vector<ReleasedFigure> released;
  std::optional<ImageNetwork> network;  ///< nothing: rows of a table are the inputs
};

/// What a model keeps of the schema of its training table: types, recodes, the classes as they were
/// settled, the domain of s; not how or where that file was written. To be read with
/// TableUse::kApply.
Schema model_schema(const Table& table);

/// Reads a table to predict for: the features, and the protected columns where the rule needs them;
/// every row kept. Where training dropped rows
/// with missing values, a missing number is read as the mean and a missing category as none.
Schema prediction_schema(const TrainedModel& model);

/// Refuses a model whose parts do not fit each other or that is useless: a shape that differs from
/// the pipeline, the classes or the parameters, parameters that are not finite, features without a
/// type, a statement about another adjacency.
Status check_model(const TrainedModel& model);

}  // namespace dpfermi
