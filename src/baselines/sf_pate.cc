#include "baselines/sf_pate.h"

#include <algorithm>
#include <cmath>

#include "baselines/claims.h"
#include "baselines/noisy_steps.h"
#include "baselines/pate_models.h"
#include "model/network.h"
#include "optimize/training_run.h"
#include "privacy/accountant/gdp_accountant.h"
#include "sample/index_sampler.h"

namespace dpfermi {
namespace {

constexpr double kRowsPerTeacher = 100;
constexpr double kVoteNoise = 0.5;  ///< sigma over K

/// How many vote on how much.
struct Election {
  std::size_t teachers, queries, choices;

  /// Longest that one teacher's centred votes can be.
  double length() const {
    return std::sqrt(static_cast<double>(queries) * (1 - 1 / static_cast<double>(choices)));
  }
};

Result<Election> plan_election(const Dataset& data, const SfPateOptions& options, double delta) {
  const auto n = static_cast<double>(data.unit_count);
  Election election{options.teachers, options.queries,
                    options.form == PateForm::kFairTeachers ? data.classes : data.groups};
  if (election.teachers == 0) {
    election.teachers = static_cast<std::size_t>(std::max(2.0, std::round(n / kRowsPerTeacher)));
  }
  if (election.queries == 0) {
    // sigma = z length, z = 2 / mu.
    const double length = kVoteNoise * static_cast<double>(election.teachers) *
                          gdp_mu_for(options.epsilon, delta) / 2;
    const double most =
        std::round(length * length / (1 - 1 / static_cast<double>(election.choices)));
    election.queries = static_cast<std::size_t>(
        std::clamp(most, 10.0, std::max(10.0, static_cast<double>(data.rows()))));
  }
  election.queries = std::min(election.queries, data.rows());
  if (election.teachers > data.unit_count) {
    return usage_error("there are more teachers than records; use fewer");
  }
  return election;
}

Result<Dataset> draw_queries(const Dataset& data, std::size_t queries, NoiseSource& noise) {
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(static_cast<std::uint32_t>(data.rows()),
                                        static_cast<std::uint32_t>(queries), std::move(lane)));
  DPFERMI_ASSIGN(const std::vector<std::uint32_t> rows, sampler.next());
  return public_part(data, rows);
}

/// Trains a teacher on its rows. Reads no s but theirs.
Result<std::vector<double>> train_teacher(const Dataset& data, const SfPateOptions& options,
                                          const std::vector<std::uint16_t>& s,
                                          std::span<const std::uint32_t> rows) {
  Dataset own = public_part(data, rows);
  if (options.form == PateForm::kFairStudent) {
    for (std::size_t i = 0; i < rows.size(); ++i) own.y[i] = s[rows[i]];
    own.classes = data.groups;
    return fit_plain(own);
  }
  std::vector<float> groups(rows.size() * data.groups);
  for (std::size_t i = 0; i < rows.size(); ++i) groups[i * data.groups + s[rows[i]]] = 1;
  const FairnessSetting setting{options.notion, data.groups, data.classes, options.favourable};
  return fit_regression(own, setting, std::move(groups), options.lambda);
}

/// The answers to all queries. A teacher that cannot be trained does not vote.
Result<std::vector<std::uint16_t>> ask(const Dataset& data, const SfPateOptions& options,
                                       const Election& election, const Dataset& queries,
                                       Privatizer& privatizer, Workers& workers) {
  const auto vote = [&](const std::vector<std::uint16_t>& s, std::uint32_t teacher,
                        std::span<double> out) {
    const Result<std::vector<double>> theta =
        train_teacher(data, options, s, rows_of_teacher(data, teacher, election.teachers));
    if (theta) write_votes(queries, election.choices, *theta, out);
  };
  DPFERMI_ASSIGN(
      ClippedSum sum,
      privatizer.sum(data.s, Batch::everyone(static_cast<std::uint32_t>(election.teachers)), vote,
                     &workers));
  DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
  return winners(noisy.segment(0), election.choices);
}

/// Learns from the answers, which are public now.
Result<std::vector<double>> train_student(const Dataset& data, const SfPateOptions& options,
                                          Dataset queries, std::vector<std::uint16_t> answers,
                                          Workers& workers) {
  queries.y = std::move(answers);
  if (options.form == PateForm::kFairTeachers) return fit_plain(queries, &workers);
  queries.classes = data.groups;
  DPFERMI_ASSIGN(const std::vector<double> groups, fit_plain(queries, &workers));
  std::vector<float> proxy = predict(Network({data.x.columns(), data.groups, {}}), groups, data.x);
  const FairnessSetting setting{options.notion, data.groups, data.classes, options.favourable};
  return fit_regression(data, setting, std::move(proxy), options.lambda, &workers);
}

Result<BaselineResult> train_form(PateForm form, const Dataset& data, const BaselineOptions& given,
                                  StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) {
  SfPateOptions options{given};
  options.form = form;
  return sf_pate(data, options, ledger, std::move(noise), hooks);
}

Result<BaselineResult> train_t(const Dataset& data, const BaselineOptions& options,
                               StepLedger& ledger, NoiseSource noise, const TrainingHooks& hooks) {
  return train_form(PateForm::kFairTeachers, data, options, ledger, std::move(noise), hooks);
}

Result<BaselineResult> train_s(const Dataset& data, const BaselineOptions& options,
                               StepLedger& ledger, NoiseSource noise, const TrainingHooks& hooks) {
  return train_form(PateForm::kFairStudent, data, options, ledger, std::move(noise), hooks);
}

}  // namespace

extern const MethodDescriptor methods::sf_pate_t = {
    .name = "sf-pate-t",
    .origin = "Tran, Zhu, Fioretto and Van Hentenryck 2021",
    .summary = "private and fair: noisy votes of fair teachers",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of psi for every teacher",
    .parity_values = {0, 0.5, 2, 8, 32},
    .odds_values = {0, 0.5, 2, 8, 32},
    .claim = "Renyi divergences, before the analysis that depends on the data",
    .train = train_t,
};

extern const MethodDescriptor methods::sf_pate_s = {
    .name = "sf-pate-s",
    .origin = "Tran, Zhu, Fioretto and Van Hentenryck 2021",
    .summary = "private and fair: noisy votes on groups, a fair student",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of psi for the student",
    .parity_values = {0, 0.5, 2, 8, 32},
    .odds_values = {0, 0.5, 2, 8, 32},
    .claim = "Renyi divergences, before the analysis that depends on the data",
    .train = train_s,
};

Result<BaselineResult> sf_pate(const Dataset& data, const SfPateOptions& options,
                               StepLedger& ledger, NoiseSource noise, const TrainingHooks& hooks) {
  const Stopwatch watch;
  const double delta = delta_of(options, data);
  DPFERMI_ASSIGN(const Election election, plan_election(data, options, delta));
  const Segment votes{election.queries * election.choices, election.length()};
  DPFERMI_ASSIGN(OneRelease release,
                 charge_one_release("votes of the teachers", votes, election.teachers, options,
                                    delta, noise, ledger));
  DPFERMI_ASSIGN(Dataset queries, draw_queries(data, election.queries, noise));
  Workers workers(hooks.threads);
  DPFERMI_ASSIGN(std::vector<std::uint16_t> answers,
                 ask(data, options, election, queries, release.mechanism, workers));
  DPFERMI_ASSIGN(std::vector<double> theta,
                 train_student(data, options, std::move(queries), std::move(answers), workers));
  // One vote of each query moves: a distance of sqrt(2) a query.
  const double distance = std::sqrt(2 * static_cast<double>(election.queries));
  const double sigma = release.noise_multiplier * election.length();
  DPFERMI_ASSIGN(release.statement.claimed_epsilon, renyi_claim({{1, sigma / distance, 1}}, delta));
  return finish_regression(data, options, std::move(theta), std::move(release.statement),
                           watch.seconds());
}

}  // namespace dpfermi
