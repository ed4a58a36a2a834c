#pragma once

/// From a request to a trained model: what a user may choose, what the rules of docs/defaults.md
/// make of it, and the run itself.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/data/dataset.h"
#include "dpfermi/model/model_spec.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/statement.h"
#include "dpfermi/random/noise_source.h"
#include "dpfermi/sketch/residual.h"
#include "dpfermi/sketch/sketch.h"

namespace dpfermi {

enum class Method {
  kDpFermi,       ///< the corrected, private step (optimize/dp_fermi.h)
  kDpFermiPaper,  ///< Algorithm 1 and the theorem's noise to the letter (optimize/dp_fermi_paper.h)
  kFermi,         ///< the same objective without privacy
  kErm,           ///< the loss alone: s is never read
  kSketch,        ///< one private release, then anything (optimize/sketch_method.h)
};
std::string_view to_string(Method method);  ///< "dp-fermi", "dp-fermi-paper", "fermi", "erm", ...
Result<Method> parse_method(std::string_view text);

class DeepNetwork;

/// A network that is held elsewhere (model/deep_network.h), as the rules see it.
struct NetworkScale {
  std::size_t parameters = 0;
  /// |J^T u|^2 / |u|^2, J the derivative of the outputs in theta: what |[x, 1]|^2 is in softmax
  /// regression. Measured on public rows, or on invented ones where rows are secret.
  double gradient_square = 0;
};

/// What was asked for. What is left open follows from public quantities by fixed rules, the same
/// for every data set.
struct TrainingRequest {
  Method method = Method::kDpFermi;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 1;
  std::optional<double> delta;          ///< 1/n^2
  std::optional<double> lambda;         ///< a fixed weight of psi
  std::optional<double> max_violation;  ///< or a target: lambda is then steered, from released sums
  std::vector<std::size_t> hidden;      ///< widths of tanh layers; none: softmax regression
  std::optional<NetworkScale> network;  ///< the model, in place of these; of kDpFermi
  std::optional<double> epochs;
  std::optional<std::uint32_t> batch;
  std::optional<double> tau;
  std::optional<double> clip_norm;
  std::optional<double> theta_rate;  ///< eta_theta
  std::optional<double> w_rate;      ///< eta_w, under DualRule::kAscent
  std::optional<double> w_radius;    ///< D of kDpFermiPaper
  std::optional<DualRule> dual;
  std::optional<IterateRule> iterate;
  bool theorem_plan = false;  ///< T and step sizes as the convergence theorem prescribes
  std::optional<std::uint32_t> declared_units;  ///< n, under add-remove-record
  /// The largest norm of [x, 1] that declared bounds allow; needed where features are secret.
  double declared_norm = 0;
  std::uint64_t spare_steps = 0;               ///< charged for replays after a crash
  bool ideal_noise = false;                    ///< see TrainingPlan; of kDpFermi
  FeatureMapSpec features;                     ///< of kSketch
  std::optional<std::size_t> residual_rounds;  ///< of kSketch
  std::optional<double> residual_share;        ///< of the budget, for those rounds
};

/// What the paper's theorem makes of a run (optimize/dp_fermi_paper.h).
struct PaperNumbers {
  double lipschitz = 0;    ///< L, of the class probabilities in theta
  double diameter = 0;     ///< D: radius of the ball that holds W
  double rho = 0;          ///< least share of a group; exact, treated as public
  double sigma_theta = 0;  ///< of the noise on mean gradients
  double sigma_w = 0;
  double theta_bound = 0;  ///< of one record's secret part
  double w_bound = 0;
  double claimed_epsilon = 0;  ///< what the theorem promises
};

/// Every number of a run, fixed before protected data is read.
struct TrainingPlan {
  Method method = Method::kDpFermi;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  Adjacency adjacency = Adjacency::kSensitive;
  ModelSpec model;
  std::size_t network = 0;  ///< parameters of the network that is the model; 0: `model` is
  std::size_t favourable = 1;
  std::size_t groups = 2;
  std::uint32_t units = 0;  ///< n, or the declared one
  double lambda = 0;
  std::optional<double> max_violation;
  double tau = 1;
  std::uint64_t steps = 0;  ///< T
  double q = 1;             ///< of the secret batches
  std::uint32_t batch = 1;  ///< of the public ones
  /// eta_theta = min(theta_rate / (1 + rate_per_lambda lambda), rate_cap / noise_scale), where
  /// noise_scale is what the noise of a step is multiplied with (FermiTerms).
  double theta_rate = 0;
  double rate_per_lambda = 0;
  double rate_cap = std::numeric_limits<double>::infinity();
  double w_rate = 0;
  DualRule dual = DualRule::kBestResponse;
  IterateRule iterate = IterateRule::kAverage;
  std::uint64_t random_iterate = 0;
  double clip_norm = 1;
  double table_weight = 0;
  double smoothing = 1;
  double noise_multiplier = 0;  ///< z of the steps; 0: nothing is released
  double counts_sigma = 0;      ///< of the group counts
  std::uint64_t spare_steps = 0;
  double epsilon = 0;  ///< certified, of everything together
  double delta = 0;
  /// The noise is taken for exactly Gaussian, because epsilon is so large that e^epsilon times the
  /// precision of its last bits exceeds delta. The statement says so.
  bool ideal_noise = false;
  std::optional<PaperNumbers> paper;  ///< of kDpFermiPaper
  std::optional<SketchPlan> sketch;   ///< of kSketch, where s is at hand

  std::size_t parameter_count() const { return network > 0 ? network : model.parameter_count(); }
};

/// Whether training reads the groups themselves, without noise.
bool reads_groups_exactly(const TrainingPlan& plan);

/// Whether it reads anything protected without noise, groups or whole records: then nothing is
/// promised.
bool reads_exactly(const TrainingPlan& plan);

/// Whether it reads anything protected, with noise or without: then it is charged.
bool reads_protected(const TrainingPlan& plan);

/// The rules. Reads of `data` what the adjacency leaves public.
/// Requires 0 <= favourable < classes.
Result<TrainingPlan> plan_training(const TrainingRequest& request, const Dataset& data,
                                   std::size_t favourable);

/// Where a run stands, for people who wait; nothing in it is secret.
struct TrainingProgress {
  std::uint64_t step;
  std::uint64_t steps;
  double lambda;
  std::span<const double> theta;  ///< of this step, whatever the iterate rule will choose
};

/// All that a run needs to go on after a crash; nothing in it is secret. docs/training.md says what
/// is charged for the steps in between.
struct TrainingCheckpoint {
  TrainingPlan plan;
  SolverState state;
  double lambda = 0;
  std::vector<double> shares, marginals;  ///< pi_c, p_{r|c}
  std::vector<double> table;              ///< the smoothed sums
  std::uint64_t ledger_plan = 0;          ///< number of the charge
};

struct TrainingResult;

struct TrainingHooks {
  std::function<bool(const TrainingProgress&)> progress;  ///< false ends the run
  std::uint64_t checkpoint_every = 0;                     ///< steps; 0: never
  std::function<Status(const TrainingCheckpoint&)> checkpoint;
  const TrainingCheckpoint* resume = nullptr;
  std::vector<double> start;       ///< theta_0, public; empty: small random values
  DeepNetwork* network = nullptr;  ///< the model, where the plan is for one
  /// Where a sketch is for a model that is trained elsewhere: trains it by the proxy of the result
  /// so far, reading nothing protected, and returns what it decides about every row. Asked again
  /// with every proxy that residual queries have corrected; theta stays that of the first proxy's
  /// model.
  std::function<Result<std::vector<std::uint16_t>>(const TrainingResult& so_far)> follow;
  unsigned threads = 1;
};

struct TrainingResult {
  std::vector<double> theta;
  double lambda = 0;           ///< as it ended, where it was steered
  std::uint64_t steps = 0;     ///< made
  PrivacyStatement statement;  ///< without the names that only a table knows (id column, domain)
  /// What the private sums say about the last steps: p_{r|c} (conditions x groups) and, where
  /// lambda was steered, the share of decisions for each class (conditions x groups x classes).
  std::vector<double> released_shares;
  std::vector<bool> known_groups;  ///< conditions x groups: large enough to be told from noise
  std::vector<double> released_rates;
  std::optional<ViolationInterval> violation;  ///< of decisions on these rows, where it was asked
  std::vector<float> proxy;  ///< rows x groups: p~(s | x, c), where a sketch was released
  double seconds = 0;        ///< of the steps alone
};

/// Charges the plan to the ledger, then reads the data; without noise, as a training without noise
/// (charge_exact). The noise source gives the noise, the
/// secret batches and the starting values; whether it is secret goes into the statement.
Result<TrainingResult> train(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
