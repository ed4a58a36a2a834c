#include "experiment/summary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/text.h"

namespace dpfermi {
namespace {

constexpr std::array<std::pair<SummaryTable, std::string_view>, 12> kTables{
    {{SummaryTable::kOverview, "overview"},
     {SummaryTable::kCurves, "curves"},
     {SummaryTable::kMatched, "matched"},
     {SummaryTable::kDominance, "dominance"},
     {SummaryTable::kEpsilon, "epsilon"},
     {SummaryTable::kPublished, "published"},
     {SummaryTable::kRivals, "rivals"},
     {SummaryTable::kLiterature, "literature"},
     {SummaryTable::kClaims, "claims"},
     {SummaryTable::kFreeLine, "free-line"},
     {SummaryTable::kCovered, "covered"},
     {SummaryTable::kErrors, "errors"}}};

/// One model, of a method that could have had more, or of one that is a point of every curve.
bool too_short(const Curve& curve) {
  if (curve.models.size() > 1 || curve.published) return false;
  const MethodDescriptor* method = curve.descriptor();
  return method == nullptr || method->knob != Knob::kNone || method->plain;
}

/// A curve is compared with others at its epsilon and with those that are not private, what was
/// published included.
bool worth_comparing(const Curve& first, const Curve& second) {
  if (too_short(first) || too_short(second) || (first.method == second.method && !second.published))
    return false;
  return !second.epsilon || second.epsilon == first.epsilon;
}

std::vector<NamedComparison> compare_all(const Panel& panel, const std::vector<Curve>& published) {
  std::vector<Curve> others = panel.curves;
  others.insert(others.end(), published.begin(), published.end());
  std::vector<NamedComparison> comparisons;
  for (const Curve& first : panel.curves) {
    for (const Curve& second : others) {
      if (!worth_comparing(first, second)) continue;
      comparisons.push_back({first, second, compare(first, second, ViolationOf::kTest),
                             compare(first, second, ViolationOf::kTrain)});
    }
  }
  return comparisons;
}

std::vector<std::string> private_methods(const Panel& panel) {
  std::vector<std::string> methods;
  for (const Curve& curve : panel.curves) {
    if (curve.epsilon && !contains(methods, curve.method)) methods.push_back(curve.method);
  }
  return methods;
}

std::vector<EpsilonNeeded> needed(const Panel& panel, const std::vector<Curve>& published) {
  std::vector<EpsilonNeeded> all;
  std::vector<Curve> references;
  for (const Curve& curve : panel.curves) {
    if (!curve.epsilon && curve.models.size() > 1) references.push_back(curve);
  }
  references.insert(references.end(), published.begin(), published.end());
  for (const std::string& method : private_methods(panel)) {
    for (const Curve& reference : references) {
      all.push_back({method, reference,
                     epsilon_needed(panel, method, reference, ViolationOf::kTest),
                     epsilon_needed(panel, method, reference, ViolationOf::kTrain)});
    }
  }
  return all;
}

std::vector<ClaimedAndCertified> claims_of(const std::vector<RunRecord>& runs) {
  std::vector<ClaimedAndCertified> claims;
  for (const RunRecord& run : runs) {
    if (!run.spec.epsilon || !run.privacy) continue;
    auto found = std::ranges::find_if(claims, [&](const ClaimedAndCertified& known) {
      return known.method == run.spec.method && known.asked == *run.spec.epsilon;
    });
    if (found == claims.end()) {
      claims.push_back({.method = run.spec.method, .asked = *run.spec.epsilon, .claimed = {}});
      found = claims.end() - 1;
    }
    const std::optional<PrivacyCost>& given = run.privacy->cost_given_shares;
    const std::optional<PrivacyCost>& cost = given ? given : run.privacy->cost;
    found->given_shares |= given.has_value();
    found->certified =
        std::max(found->certified, cost ? cost->epsilon : std::numeric_limits<double>::infinity());
    const std::optional<double>& claimed = run.privacy->claimed_epsilon;
    if (claimed && (!found->claimed || *claimed < *found->claimed)) found->claimed = claimed;
  }
  return claims;
}

}  // namespace

Result<SummaryTable> parse_summary_table(std::string_view text) {
  for (const auto& [table, name] : kTables) {
    if (name == text) return table;
  }
  return usage_error(
      "'" + printable(text) +
      "' is not a table; choose overview, curves, matched, dominance, epsilon, published, "
      "rivals, literature, claims, free-line, covered or errors");
}

bool is_exact(SummaryTable table) {
  return table != SummaryTable::kErrors && table != SummaryTable::kClaims;
}

Summary summarize(const SweepResults& results) {
  Summary summary{results.description,     results.complete,           results.runs.size(), {},
                  claims_of(results.runs), public_panels(results.runs)};
  for (Panel& panel : make_panels(results.runs)) {
    const std::vector<Curve> published = published_curves(panel.dataset, panel.notion);
    std::vector<NamedComparison> comparisons = compare_all(panel, published);
    std::vector<EpsilonNeeded> epsilons = needed(panel, published);
    summary.panels.push_back({std::move(panel), std::move(comparisons), std::move(epsilons)});
  }
  return summary;
}

}  // namespace dpfermi
