// Summaries as Markdown.

#include <algorithm>
#include <span>

#include "baselines/published_code.h"
#include "core/text.h"
#include "dpfermi/privacy/protected.h"
#include "experiment/markdown_cells.h"
#include "experiment/summary.h"

namespace dpfermi {
namespace {

std::string curves_text(const PanelSummary& summary) {
  std::string text = fmt::format("### {}\n\n", summary.panel.name());
  text += header({"curve", "λ", "error", "violation", "violation in training", "splits"});
  for (const Curve& curve : summary.panel.curves) {
    for (const CurveModel& model : curve.models) {
      text += row({curve.name(), weight(model), figure(estimate(model.error)),
                   figure(estimate(model.violation)), figure(estimate(model.train_violation)),
                   std::to_string(model.error.size())});
    }
  }
  return text + "\n";
}

/// The least error at a level or below it, one cell for each level; "-" where the curve does not
/// get there.
std::vector<std::string> least_errors(const Curve& curve, std::span<const double> levels,
                                      ViolationOf rows) {
  std::vector<std::string> cells = {curve.name()};
  for (const double level : levels) {
    const auto error = error_at(curve, level, rows);
    cells.push_back(error ? figure(*error) : "-");
  }
  return cells;
}

std::vector<std::string> level_header(const std::string& corner, std::span<const double> levels) {
  std::vector<std::string> cells = {corner};
  for (const double level : levels) cells.push_back(shortest(level));
  return cells;
}

std::size_t most_splits(const Panel& panel) {
  std::size_t most = 0;
  for (const Curve& curve : panel.curves) {
    for (const CurveModel& model : curve.models) most = std::max(most, model.error.size());
  }
  return most;
}

/// What a reader wants first: which method errs least at the gaps that people ask for.
std::string opening_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  constexpr double kAskedFor[] = {0.02, 0.05, 0.1};
  std::string text =
      "At a gap of at most .02, .05 and .10: the least error of each method, mean ± standard error "
      "over splits (\"-\": not reached)\n\n";
  for (const PanelSummary& each : summary.panels) {
    const Panel& panel = each.panel;
    text += fmt::format("### {}, {}\n\n", panel.name(), counted(most_splits(panel), "split"));
    text += header(level_header("gap at most", kAskedFor));
    for (const Curve& curve : panel.curves) {
      const bool wanted =
          filter.method.empty() || curve.method == filter.method || curve.method == filter.against;
      if (wanted) text += row(least_errors(curve, kAskedFor, rows));
    }
    text += "\n";
  }
  return text;
}

std::string matched_text(const PanelSummary& summary, ViolationOf rows) {
  constexpr double kLevels[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.15};
  std::string text = fmt::format("### {}\n\n", summary.panel.name());
  text += header(level_header("error at violation", kLevels));
  for (const Curve& curve : summary.panel.curves) text += row(least_errors(curve, kLevels, rows));
  return text + "\n";
}

bool passes(const SummaryFilter& filter, const std::string& method, const Curve& other) {
  const bool against = filter.against.empty() ||
                       (other.published ? filter.against == "published" && other.is_papers()
                                        : filter.against == other.method);
  return (filter.method.empty() || filter.method == method) && against;
}

/// One table for two methods: panels down, epsilons across.
std::string dominance_table(const Summary& summary, const std::string& first,
                            const std::string& second, bool published, ViolationOf rows) {
  std::vector<std::optional<double>> epsilons;
  const auto fits = [&](const NamedComparison& pair) {
    return pair.first.method == first && pair.second.method == second &&
           pair.second.published == published;
  };
  for (const PanelSummary& panel : summary.panels) {
    for (const NamedComparison& pair : panel.comparisons) {
      if (fits(pair) && std::ranges::find(epsilons, pair.first.epsilon) == epsilons.end()) {
        epsilons.push_back(pair.first.epsilon);
      }
    }
  }
  std::ranges::sort(epsilons);
  std::vector<std::string> head = {"panel", "against"};
  for (const auto& epsilon : epsilons) {
    head.push_back(epsilon ? fmt::format("ε = {}", shortest(*epsilon)) : "not private");
  }
  std::string text = header(head);
  for (const PanelSummary& panel : summary.panels) {
    for (const bool same : {false, true}) {  // against a curve without privacy, or of the same ε
      std::vector<std::string> cells = {panel.panel.name()};
      bool any = false;
      for (const auto& epsilon : epsilons) {
        const auto found = std::ranges::find_if(panel.comparisons, [&](const auto& pair) {
          return fits(pair) && pair.first.epsilon == epsilon &&
                 pair.second.epsilon.has_value() == same;
        });
        any = any || found != panel.comparisons.end();
        cells.push_back(found == panel.comparisons.end() ? "" : verdict_text(of(*found, rows)));
      }
      cells.insert(cells.begin() + 1, same ? "same ε" : "not private");
      if (any) text += row(cells);
    }
  }
  return text + "\n";
}

std::string dominance_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  struct Pair {
    std::string first, second;
    bool published;
    bool operator==(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  for (const PanelSummary& panel : summary.panels) {
    for (const NamedComparison& each : panel.comparisons) {
      if (!passes(filter, each.first.method, each.second)) continue;
      const Pair pair{each.first.method, each.second.method, each.second.published};
      if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
    }
  }
  std::string text;
  for (const Pair& pair : pairs) {
    text += fmt::format("### {} against {}{}\n\n", pair.first, pair.published ? "published " : "",
                        pair.second);
    text += dominance_table(summary, pair.first, pair.second, pair.published, rows);
  }
  if (text.empty()) return "";
  return text +
         "Dominates: nowhere worse by more than one standard error, better somewhere and on "
         "average; dominated is the reverse. The number is the mean difference in error at equal "
         "violation (negative: fewer errors), from the least violation that both reach.\n\n";
}

std::string epsilon_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  std::string text;
  for (const PanelSummary& panel : summary.panels) {
    for (const EpsilonNeeded& needed : panel.epsilons) {
      if (!passes(filter, needed.method, needed.reference)) continue;
      const auto& epsilon = rows == ViolationOf::kTest ? needed.test : needed.train;
      const std::string name =
          needed.reference.name() + (needed.reference.epsilon ? "" : ", not private");
      const bool one_split = std::max(panel.panel.curves.front().models.front().error.size(),
                                      needed.reference.models.front().error.size()) < 2;
      std::string found = epsilon ? shortest(*epsilon) : "more than was tried";
      if (one_split) found = to_string(Verdict::kOneSplit);
      text += row({panel.panel.name(), needed.method, name, found});
    }
  }
  if (text.empty()) return "";
  return header({"panel", "method", "as good as", "ε needed"}) + text + "\n";
}

/// The objective of the released code, without privacy, beside what was published for it.
std::string published_text(const PanelSummary& summary) {
  const Curve* ours = summary.panel.find(std::string(methods::published_code.name), std::nullopt);
  if (ours == nullptr || summary.panel.protocol != Protocol::kAsPublished) return "";
  std::string rows;
  for (const Curve& curve : published_curves(summary.panel.dataset, summary.panel.notion)) {
    if (!curve.is_papers() || curve.epsilon) continue;
    for (const CurveModel& theirs : curve.models) {
      const auto mine = std::ranges::find(ours->models, theirs.lambda, &CurveModel::lambda);
      if (mine == ours->models.end()) continue;
      const Estimate error = estimate(mine->error);
      const Estimate violation = estimate(mine->violation);
      rows += row(
          {weight(theirs), fmt::format("{:.4f}", theirs.error[0]),
           fmt::format("{:.4f}", error.mean), fmt::format("{:+.4f}", error.mean - theirs.error[0]),
           fmt::format("{:.4f}", theirs.violation[0]), fmt::format("{:.4f}", violation.mean),
           fmt::format("{:+.4f}", violation.mean - theirs.violation[0])});
    }
  }
  if (rows.empty()) return "";
  return fmt::format("### {}\n\n", summary.panel.name()) +
         header({"λ", "error: published", "re-created", "difference", "violation: published",
                 "re-created", "difference"}) +
         rows + "\n";
}

std::string tables_text(const Summary& summary, SummaryTable table, ViolationOf rows,
                        const SummaryFilter& filter) {
  if (table == SummaryTable::kOverview) {
    return opening_text(summary, rows, filter) + dominance_text(summary, rows, filter);
  }
  if (table == SummaryTable::kDominance) return dominance_text(summary, rows, filter);
  if (table == SummaryTable::kEpsilon) return epsilon_text(summary, rows, filter);
  if (table == SummaryTable::kRivals) return rivals_text(summary, rows, filter);
  if (table == SummaryTable::kLiterature) return literature_text(summary);
  if (table == SummaryTable::kClaims) return claims_text(summary);
  if (table == SummaryTable::kFreeLine) return free_line_text(summary, rows, filter);
  if (table == SummaryTable::kCovered) return covered_text(summary, rows, filter);
  if (table == SummaryTable::kErrors) return public_markdown(summary.errors);
  std::string text;
  for (const PanelSummary& panel : summary.panels) {
    if (table == SummaryTable::kCurves) text += curves_text(panel);
    if (table == SummaryTable::kMatched) text += matched_text(panel, rows);
    if (table == SummaryTable::kPublished) text += published_text(panel);
  }
  return text;
}

}  // namespace

std::string to_markdown(const Summary& summary, SummaryTable table, ViolationOf rows,
                        const SummaryFilter& filter) {
  const std::string text = tables_text(summary, table, rows, filter);
  if (text.empty() || !is_exact(table)) return text;
  return text + fmt::format("Figures are {}.\n", ExactForHolder::kLabel);
}

}  // namespace dpfermi
