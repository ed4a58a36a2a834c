// The answer in ten seconds.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/html.h"
#include "report/sections.h"

namespace dpfermi {
namespace {

/// What a model without regard to fairness errs, or the least error where there is none.
double base_error(const Answer& answer) {
  if (answer.unfair) return answer.unfair->error;
  return answer.matched.empty() || !answer.matched.front().error
             ? answer.error.mean
             : answer.matched.front().error->mean;
}

std::string strong(const std::string& text) {
  return "<strong>" + escape_html(text) + "</strong>";
}

std::string change_text(const Answer& answer) {
  if (!answer.unfair) {
    return fmt::format(" reaches a gap between groups of {} at an error of {}.",
                       strong(points(answer.violation.mean)), strong(percent(answer.error.mean)));
  }
  // The difference of the figures as they are shown, which readers check.
  const double cost =
      (std::round(1000 * answer.error.mean) - std::round(1000 * answer.unfair->error)) / 1000;
  return fmt::format(
      " brings the gap between groups from {:.1f} to {} and {} ({} wrong instead of {}).",
      100 * answer.unfair->violation, strong(points(answer.violation.mean)),
      cost >= 0.0005 ? "costs " + strong(points(cost)) + " of accuracy"
                     : std::string("costs no accuracy"),
      percent(answer.error.mean), percent(answer.unfair->error));
}

/// HTML: "dp-fermi at ε = 1 brings the gap ... from 18.1 to 4.4 points and costs 1.2 points ...".
std::string sentence(const ReportPanel& panel) {
  const Answer& answer = *panel.answer;
  const Curve& curve = panel.curves[answer.curve];
  std::string text = strong(curve.method);
  text += curve.epsilon     ? " at " + strong(epsilon_text(curve.epsilon))
          : is_plain(curve) ? ", which never reads the protected attribute,"
                            : ", which is not private,";
  text += change_text(answer);
  if (answer.nothing_better) {
    text += " No model of this sweep that could be recommended does better than such a coin.";
  }
  if (!answer.line_known) {
    text +=
        " Whether a coin between a model that ignores fairness and the best constant does as well "
        "is not known: the sweep has no run of coin.";
  }
  if (answer.without_privacy) {
    text += fmt::format(" The same fairness without privacy: {} wrong.",
                        percent(answer.without_privacy->mean));
  } else if (curve.epsilon) {
    text += " What privacy adds is not known: no run of fermi, which is not private, gets there.";
  }
  if (answer.published) {
    text += fmt::format(" The published curve, same {} and gap, on its authors’ files: {}.",
                        curve.epsilon ? "ε" : "lack of privacy", percent(answer.published->mean));
  }
  return text;
}

std::string matched_row(const ReportPanel& panel, const MatchedCurve& one, double base,
                        double longest) {
  const Curve& curve = panel.curves[one.curve];
  const Answer& answer = *panel.answer;
  const char* kind = one.curve == answer.curve ? " class=\"chosen\""
                     : curve.method == panel.curves[answer.curve].method && !curve.published
                         ? " class=\"private\""
                         : "";
  if (!one.error) {
    return fmt::format(
        "<tr{}><th scope=\"row\">{}</th><td colspan=\"2\" class=\"number\">gap ≥ {:.2f}</td>"
        "</tr>\n",
        kind, escape_html(curve_label(curve)), 100 * one.least_violation);
  }
  const double cost = std::max(0.0, one.error->mean - base);
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><rect class=\"length\" width=\"{:.1f}\" height=\"8\"/></svg></td>"
      "<td class=\"number\">{}</td></tr>\n",
      kind, escape_html(curve_label(curve)), longest > 0 ? 100 * cost / longest : 0.0,
      percent(one.error->mean));
}

std::string matched_table(const ReportPanel& panel) {
  const Answer& answer = *panel.answer;
  const double base = base_error(answer);
  double longest = 0;
  for (const MatchedCurve& one : answer.matched) {
    if (one.error) longest = std::max(longest, one.error->mean - base);
  }
  std::string rows;
  for (const MatchedCurve& one : answer.matched) rows += matched_row(panel, one, base, longest);
  return fmt::format(
      "<table class=\"matched\"><caption>Errors at this gap; bars show the cost over {}, "
      "{}</caption>"
      "\n<tbody>{}</tbody></table>\n",
      percent(base), answer.unfair ? "a model that ignores fairness" : "the best of them", rows);
}

/// Private before not private, then honest before as-published.
int weight(const ReportPanel& panel) {
  const bool is_private = panel.curves[panel.answer->curve].epsilon.has_value();
  return (is_private ? 2 : 0) + (panel.protocol == Protocol::kHonest ? 1 : 0);
}

std::string card(const ReportPanel& panel) {
  const Answer& answer = *panel.answer;
  const Curve& curve = panel.curves[answer.curve];
  return fmt::format(
      "<article class=\"card\"><h3>{} <span class=\"kind\">· {} · {}</span></h3>\n"
      "<div class=\"big\"><div><b>{}</b><span>error</span></div><div><b>{}</b><span>gap between "
      "groups</span></div><div><b>{}</b><span>{}</span></div></div>\n<p>{}</p>\n{}</article>\n",
      escape_html(dataset_title(panel.dataset)), notion_title(panel.notion),
      to_string(panel.protocol), percent(answer.error.mean), points(answer.violation.mean),
      curve.epsilon     ? "ε " + shortest(*curve.epsilon)
      : is_plain(curve) ? "ε 0"
                        : "none",
      curve.epsilon ? "privacy, given secret noise" : "privacy", sentence(panel),
      matched_table(panel));
}

}  // namespace

const ReportPanel* leading_panel(const ReportData& data) {
  const ReportPanel* found = nullptr;
  for (const ReportPanel& panel : data.panels) {
    if (!panel.answer) continue;
    if (found == nullptr || weight(panel) > weight(*found)) found = &panel;
  }
  return found;
}

std::string answers_html(const ReportData& data) {
  const ReportPanel* leading = leading_panel(data);
  if (leading == nullptr) {
    return "<p class=\"hint\">There is no answer in words: no method was run with several weights "
           "of "
           "fairness, or no model errs less than the best constant and lies below the free line. "
           "The "
           "tables below have all numbers.</p>";
  }
  std::string html = fmt::format("<p class=\"lede\">On {} ({}), {}</p>\n<div class=\"cards\">\n",
                                 escape_html(dataset_title(leading->dataset)),
                                 notion_title(leading->notion), sentence(*leading));
  for (const Protocol protocol : {Protocol::kHonest, Protocol::kAsPublished}) {
    for (const ReportPanel& panel : data.panels) {
      if (panel.answer && panel.protocol == protocol) html += card(panel);
    }
  }
  return html + "</div>";
}

}  // namespace dpfermi
