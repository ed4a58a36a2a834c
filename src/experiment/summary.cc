#include "dpfermi/experiment/summary.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dpfermi/core/text.h"

namespace dpfermi {
namespace {

constexpr std::array<std::pair<SummaryTable, std::string_view>, 5> kTables{
    {{SummaryTable::kCurves, "curves"},
     {SummaryTable::kMatched, "matched"},
     {SummaryTable::kDominance, "dominance"},
     {SummaryTable::kEpsilon, "epsilon"},
     {SummaryTable::kPublished, "published"}}};

/// A curve is compared with others at its epsilon and with those that are not private, what was
/// published included; `erm` is one point of every curve.
bool worth_comparing(const Curve& first, const Curve& second) {
  const bool single = first.models.size() < 2 || (second.models.size() < 2 && !second.published);
  if (single || (first.method == second.method && !second.published)) return false;
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

}  // namespace

Result<SummaryTable> parse_summary_table(std::string_view text) {
  for (const auto& [table, name] : kTables) {
    if (name == text) return table;
  }
  return usage_error("'" + printable(text) +
                     "' is no table; choose curves, matched, dominance, epsilon or published");
}

Summary summarize(const SweepResults& results) {
  Summary summary{results.description, results.complete, results.runs.size(), {}};
  for (Panel& panel : make_panels(results.runs)) {
    const std::vector<Curve> published = published_curves(panel.dataset, panel.notion);
    std::vector<NamedComparison> comparisons = compare_all(panel, published);
    std::vector<EpsilonNeeded> epsilons = needed(panel, published);
    summary.panels.push_back({std::move(panel), std::move(comparisons), std::move(epsilons)});
  }
  return summary;
}

}  // namespace dpfermi
