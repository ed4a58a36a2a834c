#include "audit/replay_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "optimize/training_plan.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {
namespace {

/// Without sampling: noise over the distance that T0 holds the sums to.
Result<PrivacyEvent> sum_event(Adjacency adjacency, const SeenSum& sum) {
  const bool sampled = sum.sampling.kind == SamplingKind::kPoisson ||
                       sum.sampling.kind == SamplingKind::kRevealedPoisson;
  if (sampled) return gaussian_event(adjacency, sum.sampling, sum.noise_multiplier);
  return PrivacyEvent::create(adjacency, GaussianRelease{sum.noise_multiplier / sum.distance});
}

/// The events of sums in a row, equal ones together.
Status add_sums(Adjacency adjacency, std::span<const SeenSum> sums, Composition& seen) {
  while (!sums.empty()) {
    const SeenSum& first = sums.front();
    DPFERMI_ASSIGN(const PrivacyEvent event, sum_event(adjacency, first));
    const auto other = std::ranges::find_if(sums, [&](const SeenSum& sum) {
      return sum.noise_multiplier != first.noise_multiplier ||
             sum.sampling.kind != first.sampling.kind || sum.sampling.q != first.sampling.q ||
             sum.distance != first.distance;
    });
    const auto count = static_cast<std::size_t>(other - sums.begin());
    seen.parts.push_back(event.times(count));
    sums = sums.subspan(count);
  }
  return {};
}

/// Takes the releases of a plan, which were made before those of the next, off what is left.
SeenReleases releases_of(const PlanState& state, SeenReleases& left) {
  SeenReleases own;
  const auto take = [](std::size_t count, auto& from, auto& to) {
    count = std::min(count, from.size());
    to = {to.empty() ? from.data() : to.data(), to.size() + count};
    from = from.subspan(count);
  };
  for (std::size_t part = 0; part < state.plan.parts.size(); ++part) {
    const auto& node = state.plan.parts[part].event.node();
    const std::size_t made = state.progress[part].claimed;
    if (std::holds_alternative<DiscreteGaussianRelease>(node)) {
      take(made, left.counts, own.counts);
    } else if (std::holds_alternative<PureRelease>(node)) {
      take(made, left.pure, own.pure);
    } else {
      take(made, left.sums, own.sums);
    }
  }
  return own;
}

/// Laplace noise by its scale; answers by their charge, which T1 holds them to.
Result<PrivacyEvent> pure_event(Adjacency adjacency, const SeenPure& seen) {
  const double distance = neighbour_distance(adjacency) * static_cast<double>(seen.longest);
  const double epsilon = seen.scale > 0 ? distance / static_cast<double>(seen.scale) : seen.epsilon;
  return PrivacyEvent::create(adjacency, PureRelease{epsilon});
}

}  // namespace

Finding replay_finding(const Subject& subject) {
  Finding finding;
  finding.tier = Tier::kReplay;
  finding.method = subject.method;
  finding.adjacency = subject.adjacency;
  finding.subject = subject.name;
  return finding;
}

void add_lines(const Subject& subject, const ReplayChecks& checks, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < checks.lines().size(); ++i) {
    const ReplayChecks::Line& line = checks.lines()[i];
    if (line.tried == 0 && line.broken.empty()) continue;
    Finding finding = replay_finding(subject);
    finding.attempt = line.attempt;
    finding.claimed = line.claimed;
    const bool measured = i <= ReplayChecks::kCounts;
    const std::string tries = with_thousands(line.tried);
    finding.observed =
        measured ? fmt::format("{:.4f} in {} tries", line.worst, tries)
                 : fmt::format("{} in {} tries", line.broken.empty() ? "held" : "BROKEN", tries);
    if (measured) finding.value = line.worst;
    finding.note = line.broken;
    finding.verdict = line.broken.empty() ? Verdict::kGreen : Verdict::kRed;
    findings.push_back(std::move(finding));
  }
}

Result<PrivacyEvent> seen_event(Adjacency adjacency, const SeenReleases& seen,
                                std::span<const PlanState> plans) {
  Composition all;
  for (const SeenCounts& counts : seen.counts) {
    DPFERMI_ASSIGN(PrivacyEvent event, counts_event(adjacency, counts.sigma));
    all.parts.push_back(std::move(event));
  }
  for (const SeenPure& pure : seen.pure) {
    DPFERMI_ASSIGN(PrivacyEvent event, pure_event(adjacency, pure));
    all.parts.push_back(std::move(event));
  }
  DPFERMI_TRY(add_sums(adjacency, seen.sums, all));
  for (const PlanState& state : plans) {
    for (const PlannedPart& part : state.plan.parts) {
      // Shares that the paper takes for public have findings of their own.
      if (std::holds_alternative<ExactRelease>(part.event.node()) &&
          part.purpose != kSharesPurpose) {
        all.parts.push_back(part.event);
      }
    }
  }
  return PrivacyEvent::create(adjacency, std::move(all));
}

Result<Finding> price_finding(const Subject& subject, const PrivacyCost& claimed,
                              const PrivacyEvent& seen) {
  Finding finding = replay_finding(subject);
  finding.attempt = "price of all releases seen, by the accountant";
  finding.claimed = fmt::format("epsilon {:.4g} at delta {:.3g}", claimed.epsilon, claimed.delta);
  CertifiedBound bound{0, 0, "", ""};
  if (!std::get<Composition>(seen.node()).parts.empty()) {
    DPFERMI_ASSIGN(bound, certified_epsilon(seen, claimed.delta, {.tolerance = 1e-4}));
  }
  finding.observed = fmt::format("epsilon at least {:.4g}", bound.lower);
  finding.value = bound.lower;
  if (bound.lower > claimed.epsilon) {
    finding.verdict = Verdict::kRed;
    finding.note = "more was released than was claimed";
  }
  return finding;
}

Result<Finding> dearest_charge(const Subject& subject, const ReleaseTape& tape,
                               std::span<const PlanState> plans) {
  SeenReleases left = tape.seen();
  std::optional<Finding> dearest;
  double most = 0;
  for (const PlanState& state : plans) {
    const SeenReleases own = releases_of(state, left);
    DPFERMI_ASSIGN(const PrivacyEvent seen, seen_event(subject.adjacency, own, {&state, 1}));
    const PrivacyCost& charged = state.plan.cost;
    DPFERMI_ASSIGN(Finding finding, price_finding(subject, charged, seen));
    const double share = finding.value.value_or(0) / charged.epsilon;
    if (dearest && share <= most) continue;
    finding.attempt = "price of what each charge paid for, by the accountant";
    finding.note += fmt::format("{}{}", finding.note.empty() ? "" : ": ", state.plan.purpose);
    most = share;
    dearest = std::move(finding);
  }
  if (!dearest) return failed("nothing was charged at the front door");
  return *std::move(dearest);
}

}  // namespace dpfermi
