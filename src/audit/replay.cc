#include "audit/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "artifact/plan_json.h"
#include "audit/case_seed.h"
#include "audit/neighbours.h"
#include "audit/replay_checks.h"
#include "audit/replay_findings.h"
#include "core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {
namespace {

/// Steps of the replay of every pair: all of a generated case's.
constexpr std::uint64_t kReplayedSteps = 40;

/// Numbers that the replay of a whole run may keep of each of its steps, all together.
constexpr std::uint64_t kMostNumbers = 1U << 23U;

TrainingPlan shortened(TrainingPlan plan, std::uint64_t most) {
  plan.steps = std::min(plan.steps, most);
  return plan;
}

/// The plan, or the message that refuses it: an observer sees both.
std::string plan_text(const AuditCase& audited, const Dataset& data) {
  const Result<TrainingPlan> plan = plan_of(audited, data);
  return plan ? to_json(*plan) : plan.error().message;
}

/// The first lines of two plans that differ.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < std::min(a.size(), b.size()) && a[at] == b[at]) ++at;
  const auto line = [&](const std::string& text) {
    const std::size_t start = text.rfind('\n', std::min(at, text.size() - 1)) + 1;
    return printable(trim(std::string_view(text).substr(start, text.find('\n', at) - start)));
  };
  return line(a) + " / " + line(b);
}

class Replay {
 public:
  Replay(const AuditCase& audited, TrainingPlan plan, const AuditOptions& options)
      : audited_(&audited),
        plan_(std::move(plan)),
        team_(options.team),
        seeds_{.all = options.seed},
        checks_(plan_.adjacency,
                Denominators{plan_.q * plan_.units, static_cast<double>(plan_.units)}) {}

  /// Runs both data sets and, where membership is charged as secret, the first once more with
  /// other batches.
  Status pair(const Neighbours& neighbours, const std::vector<std::uint32_t>& units) {
    compare_plans(neighbours);
    const TrainingPlan plan = shortened(plan_, kReplayedSteps);
    constexpr RehearsalCourse kEveryStep{.block = 1};
    DPFERMI_TRY(runs(neighbours, units, {plan, kEveryStep, kEveryStep}));
    if (plan_.noise_multiplier == 0) return {};
    DPFERMI_TRY(runs(neighbours, units, {plan, kEveryStep, kEveryStep, Outputs::kExtreme}));
    // Ascent drives W to the boundary of its ball; best responses to small tables stay fair.
    TrainingPlan ascent = plan;
    ascent.dual = DualRule::kAscent;
    return runs(neighbours, units, {std::move(ascent), kEveryStep, kEveryStep, Outputs::kStill});
  }

  /// The same from the first step to the last, in blocks of several steps. The second run breaks
  /// off and goes on from its checkpoint.
  Status whole_pair(const Neighbours& neighbours, const std::vector<std::uint32_t>& units) {
    TrainingPlan plan = shortened(
        plan_, std::max(kReplayedSteps,
                        kMostNumbers / std::max<std::uint64_t>(plan_.parameter_count(), 1)));
    const std::uint64_t block = std::max<std::uint64_t>(plan.steps / 5, 1);
    return runs(neighbours, units,
                {std::move(plan), {.block = block}, {.block = block, .break_at = 2 * block}});
  }

  /// One run of full length; what was seen is nothing where another process leads.
  Result<std::optional<PrivacyEvent>> whole_run() {
    ReleaseTape tape(0);
    tape.probe_at_most(2);
    DPFERMI_ASSIGN(const Rehearsal run, rehearsed(audited_->data, plan_, seeds_, tape, {}));
    DPFERMI_TRY(run.outcome);
    if (!team_->leads()) return std::nullopt;
    checks_.inspect("the whole run", {&tape, &run});
    DPFERMI_ASSIGN(PrivacyEvent seen, seen_event(plan_.adjacency, tape.seen(), run.plans));
    return seen;
  }

  const ReplayChecks& checks() const { return checks_; }

 private:
  void compare_plans(const Neighbours& neighbours) {
    if (!neighbours.as_planned) return;
    const std::string other = plan_text(*audited_, neighbours.second);
    if (other == to_json(plan_)) return;
    checks_.fail(
        ReplayChecks::kShared,
        fmt::format("plan: {} at {}", first_difference(to_json(plan_), other), neighbours.what));
  }

  Result<Rehearsal> rehearsed(const Dataset& data, const TrainingPlan& plan,
                              const RehearsalSeeds& seeds, ReleaseTap& tap,
                              const RehearsalCourse& course) const {
    return rehearse(data, plan, seeds, tap, course, audited_->network, *team_);
  }

  /// How both runs of a pair go.
  struct Setup {
    TrainingPlan plan;
    RehearsalCourse first, second;
    Outputs outputs = Outputs::kDrawn;
  };

  Status runs(const Neighbours& neighbours, const std::vector<std::uint32_t>& units,
              const Setup& setup) {
    const TrainingPlan& plan = setup.plan;
    const Differing differing{units, plan.adjacency == Adjacency::kAddRemoveRecord};
    ReleaseTape first(neighbours.unit, setup.outputs);
    DPFERMI_ASSIGN(const Rehearsal one,
                   rehearsed(neighbours.first, plan, seeds_, first, setup.first));
    ReleaseTape second(neighbours.unit, first);
    if (differing.vanishes) second.no_probe();
    DPFERMI_ASSIGN(const Rehearsal two,
                   rehearsed(neighbours.second, plan, seeds_, second, setup.second));
    checks_.inspect(neighbours.what, {&first, &one});
    checks_.inspect(neighbours.what, {&second, &two});
    checks_.compare(neighbours.what, differing, {&first, &one}, {&second, &two});
    const bool secret =
        !first.sums().empty() && first.sums()[0].sampling.kind == SamplingKind::kPoisson;
    if (!secret) return {};
    ReleaseTape other(neighbours.unit, first);
    const RehearsalSeeds batches{.all = seeds_.all, .secret_batches = seeds_.all + 1};
    DPFERMI_ASSIGN(const Rehearsal three,
                   rehearsed(neighbours.first, plan, batches, other, setup.first));
    checks_.compare_hidden(neighbours.what, {&first, &one}, {&other, &three});
    return {};
  }

  const AuditCase* audited_;
  TrainingPlan plan_;
  Team* team_;
  RehearsalSeeds seeds_;
  ReplayChecks checks_;
};

/// The same, were the paper's batches secret: what the theorem's noise costs at best.
Result<Finding> best_price(const AuditCase& audited, const TrainingPlan& plan) {
  Finding finding = replay_finding(subject_of(audited));
  finding.attempt = "the same if the members of a batch could not be seen";
  finding.claimed =
      fmt::format("epsilon {:.4g} at delta {:.3g}", plan.paper()->claimed_epsilon, plan.delta);
  const Sampling secret{SamplingKind::kPoisson, plan.q, plan.q * plan.units};
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 gaussian_event(plan.adjacency, secret, plan.noise_multiplier));
  DPFERMI_ASSIGN(const CertifiedBound bound, certified_epsilon(step.times(plan.steps), plan.delta));
  finding.observed = fmt::format("epsilon at least {:.4g}", bound.lower);
  finding.value = bound.lower;
  if (bound.lower > plan.paper()->claimed_epsilon) {
    finding.verdict = Verdict::kRed;
    finding.note = "theta and W are released together";
  }
  return finding;
}

bool takes_shares_for_public(const TrainingPlan& plan) {
  return plan.method == Method::kDpFermiPaper && plan.noise_multiplier > 0;
}

/// The paper's method: neighbours that share group counts are held to everything; neighbours that
/// do not show what reading the counts exactly amounts to.
Status replay_paper(const AuditCase& audited, const TrainingPlan& plan, const AuditOptions& options,
                    Replay& replay, std::vector<Finding>& findings) {
  const std::vector<Exchange> exchanges = exchanges_of(audited);
  for (const Exchange& exchange : exchanges) {
    DPFERMI_TRY(replay.pair(exchange.pair, {exchange.pair.unit, exchange.other}));
  }
  if (!exchanges.empty()) {
    const auto& [pair, other] = exchanges.front();
    DPFERMI_TRY(replay.whole_pair(pair, {pair.unit, other}));
  }
  Replay flips(audited, plan, options);
  for (const Neighbours& pair : neighbours_of(audited, true, options.seed)) {
    DPFERMI_TRY(flips.pair(pair, {pair.unit}));
  }
  for (const ReplayChecks::Check check : {ReplayChecks::kShared, ReplayChecks::kPath}) {
    const ReplayChecks::Line& line = flips.checks().lines()[check];
    if (line.broken.empty()) continue;
    Finding finding = replay_finding(subject_of(audited));
    finding.attempt = "group shares moved by one flip: " + line.attempt;
    finding.claimed = line.claimed;
    finding.observed = fmt::format("BROKEN in {} tries", line.tried);
    finding.note = line.broken +
                   "; the paper computes P_S and rho exactly and takes them for "
                   "constants";
    finding.verdict = Verdict::kRed;
    findings.push_back(std::move(finding));
  }
  return {};
}

}  // namespace

Result<std::vector<Finding>> replay_tier(const AuditCase& audited, const AuditOptions& options) {
  if (audited.request.method == Method::kFermi) {
    return usage_error("fermi promises no privacy; audit another `method`");
  }
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_of(audited));
  Replay replay(audited, plan, options);
  std::vector<Finding> findings;
  if (takes_shares_for_public(plan)) {
    DPFERMI_TRY(replay_paper(audited, plan, options, replay, findings));
  } else {
    const std::vector<Neighbours> pairs =
        neighbours_of(audited, options.quick, case_seed(options.seed, Tier::kReplay, audited));
    for (const Neighbours& pair : pairs) DPFERMI_TRY(replay.pair(pair, {pair.unit}));
    DPFERMI_TRY(replay.whole_pair(pairs.front(), {pairs.front().unit}));
  }
  DPFERMI_ASSIGN(const std::optional<PrivacyEvent> seen, replay.whole_run());
  if (!seen) return std::vector<Finding>();
  add_lines(subject_of(audited), replay.checks(), findings);
  const double claimed = plan.paper() ? plan.paper()->claimed_epsilon : plan.certified_epsilon;
  DPFERMI_ASSIGN(Finding cost, price_finding(subject_of(audited), {claimed, plan.delta}, *seen));
  if (plan.paper() && cost.verdict == Verdict::kRed) {
    cost.note = "the theorem's noise does not give the epsilon it claims";
  }
  findings.push_back(std::move(cost));
  if (takes_shares_for_public(plan) && features_are_public(plan.adjacency)) {
    DPFERMI_ASSIGN(Finding best, best_price(audited, plan));
    findings.push_back(std::move(best));
  }
  return findings;
}

}  // namespace dpfermi
