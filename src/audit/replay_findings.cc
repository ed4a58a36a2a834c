#include "audit/replay_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {
namespace {

/// The events of sums in a row, equal ones together.
Status add_sums(Adjacency adjacency, std::span<const SeenSum> sums, Composition& seen) {
  while (!sums.empty()) {
    const SeenSum& first = sums.front();
    DPFERMI_ASSIGN(const PrivacyEvent event,
                   gaussian_event(adjacency, first.sampling, first.noise_multiplier));
    const auto other = std::ranges::find_if(sums, [&](const SeenSum& sum) {
      return sum.noise_multiplier != first.noise_multiplier ||
             sum.sampling.kind != first.sampling.kind || sum.sampling.q != first.sampling.q;
    });
    const auto count = static_cast<std::size_t>(other - sums.begin());
    seen.parts.push_back(event.times(count));
    sums = sums.subspan(count);
  }
  return {};
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

Result<PrivacyEvent> seen_event(Adjacency adjacency, const ReleaseTape& tape,
                                const std::vector<PlanState>& plans) {
  Composition seen;
  for (const SeenCounts& counts : tape.counts()) {
    DPFERMI_ASSIGN(PrivacyEvent event, counts_event(adjacency, counts.sigma));
    seen.parts.push_back(std::move(event));
  }
  for (const SeenPure& pure : tape.pure()) {
    DPFERMI_ASSIGN(PrivacyEvent event, pure_event(adjacency, pure));
    seen.parts.push_back(std::move(event));
  }
  DPFERMI_TRY(add_sums(adjacency, tape.sums(), seen));
  for (const PlanState& state : plans) {
    for (const PlannedPart& part : state.plan.parts) {
      if (std::holds_alternative<ExactRelease>(part.event.node())) {
        seen.parts.push_back(part.event);
      }
    }
  }
  return PrivacyEvent::create(adjacency, std::move(seen));
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

}  // namespace dpfermi
