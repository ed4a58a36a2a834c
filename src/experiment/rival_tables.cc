// Tables about baselines: against ours, beside the literature, and what they claim.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "experiment/markdown_cells.h"

namespace dpfermi {
namespace {

using Epsilons = std::vector<std::optional<double>>;

/// What makes a comparison one of unlike things.
std::string remark_on(const Curve& other) {
  if (!other.epsilon) return "not private";
  const MethodDescriptor* method = other.descriptor();
  if (method == nullptr) return "";
  if (method->is_private() && !features_are_public(*method->adjacencies.begin())) {
    return "whole records";
  }
  return method->needs_group ? "needs s to decide" : "";
}

bool wanted(const NamedComparison& pair, const SummaryFilter& filter) {
  return pair.first.epsilon && !pair.second.published &&
         (filter.method.empty() || filter.method == pair.first.method) &&
         (filter.against.empty() || filter.against == pair.second.method);
}

template <class T>
void add_new(std::vector<T>& all, const T& value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(value);
}

std::string rivals_of(const PanelSummary& panel, const std::string& method, ViolationOf rows,
                      const SummaryFilter& filter) {
  Epsilons epsilons;
  std::vector<std::string> others;
  for (const NamedComparison& pair : panel.comparisons) {
    if (!wanted(pair, filter) || pair.first.method != method) continue;
    add_new(epsilons, pair.first.epsilon);
    add_new(others, pair.second.method);
  }
  if (others.empty()) return "";
  std::ranges::sort(epsilons);
  std::vector<std::string> head = {fmt::format("{} against", method), ""};
  for (const auto& epsilon : epsilons) head.push_back(fmt::format("ε = {}", shortest(*epsilon)));
  std::string text = header(head);
  for (const std::string& other : others) {
    std::vector<std::string> cells = {other, ""};
    for (const auto& epsilon : epsilons) {
      const auto found = std::ranges::find_if(panel.comparisons, [&](const NamedComparison& pair) {
        return wanted(pair, filter) && pair.first.method == method &&
               pair.first.epsilon == epsilon && pair.second.method == other;
      });
      const bool any = found != panel.comparisons.end();
      if (any) cells[1] = remark_on(found->second);
      cells.push_back(any ? verdict_text(of(*found, rows)) : "");
    }
    text += row(cells);
  }
  return fmt::format("### {}: {}\n\n{}\n", panel.panel.name(), method, text);
}

/// Names under which others published figures of a baseline.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPublishedAs{
    {{"pf-ld", "tran-2021-lagrangian-dual"},
     {"fairness-lens", "tran-2021-fairness-lens"},
     {"jagielski-in", "jagielski-2019-inprocessing"}}};

/// The published point and what the curve has at its violation, or its fairest model.
void add_published(const PanelSummary& panel, const Curve& ours, const Curve& theirs,
                   std::string& text) {
  for (const CurveModel& point : theirs.models) {
    const double violation = point.violation[0];
    const auto error = error_at(ours, violation, ViolationOf::kTest);
    const std::vector<TradeOffPoint> means = ours.means(ViolationOf::kTest);
    const auto fairest = std::ranges::min_element(means, {}, &TradeOffPoint::violation);
    const CurveModel& least = ours.models[static_cast<std::size_t>(fairest - means.begin())];
    text += row({panel.panel.name(), ours.name(),
                 fmt::format("{:.3f} at {:.3f}", point.error[0], violation),
                 error ? figure(*error) : "not reached",
                 fmt::format("{} at {}", figure(estimate(least.error)),
                             figure(estimate(least.violation)))});
  }
}

}  // namespace

std::string rivals_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  std::string text;
  for (const PanelSummary& panel : summary.panels) {
    std::vector<std::string> methods;
    for (const NamedComparison& pair : panel.comparisons) {
      if (wanted(pair, filter)) add_new(methods, pair.first.method);
    }
    for (const std::string& method : methods) text += rivals_of(panel, method, rows, filter);
  }
  return text;
}

std::string literature_text(const Summary& summary) {
  std::string text;
  for (const PanelSummary& panel : summary.panels) {
    const auto published = published_curves(panel.panel.dataset, panel.panel.notion);
    for (const auto& [method, name] : kPublishedAs) {
      for (const Curve& theirs : published) {
        const Curve* ours = panel.panel.find(std::string(method), theirs.epsilon);
        if (theirs.method != name || ours == nullptr || !theirs.epsilon) continue;
        add_published(panel, *ours, theirs, text);
      }
    }
  }
  if (text.empty()) return "";
  return header({"panel", "method", "published error at violation", "here, at that violation",
                 "here, fairest"}) +
         text + "\n";
}

std::string claims_text(const Summary& summary) {
  std::string text;
  for (const ClaimedAndCertified& each : summary.claims) {
    const auto method = find_method(each.method);
    const std::string_view certified = each.claimed ? "a theorem" : "certified";
    text += row({each.method, shortest(each.asked),
                 std::isfinite(each.certified)
                     ? rounded_up(each.certified) +
                           (each.given_shares ? " if group shares were public" : "")
                     : "none",
                 each.claimed ? fmt::format("{:.4f}", *each.claimed) : "",
                 std::string(method && (*method)->is_baseline() ? (*method)->claim : certified)});
  }
  if (text.empty()) return "";
  return header({"method", "ε asked for", "certified", "claimed", "the claim"}) + text + "\n";
}

}  // namespace dpfermi
