// Tables, statements and explanations.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "report/html.h"
#include "report/sections.h"

namespace dpfermi {
namespace {

std::string estimate_text(const Estimate& value) {
  return value.error > 0 ? fmt::format("{:.2f} ± {:.2f}", 100 * value.mean, 100 * value.error)
                         : fmt::format("{:.2f}", 100 * value.mean);
}

std::string maybe_text(std::optional<double> value, double scale = 1) {
  return value ? fmt::format("{:.{}f}", scale * *value, scale == 1 ? 3 : 2) : "–";
}

std::string weight_text(const CurveModel& model) {
  if (model.lambda) return shortest(*model.lambda);
  return model.target ? "gap ≤ " + percent(*model.target) : "–";
}

/// "a 12.3, b 10.1": how often each group gets the favourable prediction.
std::string rates_text(const PointDetails& details) {
  std::string text;
  for (const GroupMeans& group : details.groups) {
    if (!group.rate) continue;
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", group.name, 100 * *group.rate);
  }
  return text;
}

std::string statement_link(const PointDetails& details) {
  if (!details.statement) return "none";
  const std::size_t number = *details.statement + 1;
  return fmt::format("<a href=\"#statement-{0}\">{0}</a>", number);
}

std::string row_html(const Curve& curve, const CurveModel& model, const PointDetails* details,
                     bool first) {
  std::string html =
      fmt::format("<tr{}><td>{}<td>{}<td>{}<td>{}<td>{}", first ? " class=\"first\"" : "",
                  escape_html(curve_label(curve)), weight_text(model),
                  curve.published ? "–" : std::to_string(model.error.size()),
                  estimate_text(estimate(model.error)), estimate_text(estimate(model.violation)));
  if (details == nullptr) {
    return html + "<td>–<td>–<td>–<td>–<td>–<td>–<td>–<td>–<td>–<td>" +
           (curve.published ? "claimed" : "none needed") + "\n";
  }
  const PerformanceMeans& means = details->performance;
  html += fmt::format("<td>{}<td>{}<td>{}<td>{}<td>{}", maybe_text(means.balanced_error, 100),
                      maybe_text(means.precision, 100), maybe_text(means.recall, 100),
                      maybe_text(means.auc), maybe_text(means.brier));
  return html + fmt::format("<td>{:.2f}<td>{:.2f}<td>{:.2f}<td>{}<td>{}\n",
                            100 * details->soft_violation, 100 * details->train_error,
                            100 * estimate(model.train_violation).mean,
                            escape_html(rates_text(*details)), statement_link(*details));
}

std::string table_html(const ReportPanel& panel, bool open) {
  std::string rows;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    for (std::size_t j = 0; j < curve.models.size(); ++j) {
      const PointDetails* details =
          i < panel.details.size() ? &panel.details[i].points[j] : nullptr;
      rows += row_html(curve, curve.models[j], details, j == 0);
    }
  }
  const std::string name = escape_html(panel.title());
  return fmt::format(
      "<details{}><summary>{}</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\"><table class=\"numbers\"><caption>{}: error and gap of every model; "
      "exact, "
      "not private</caption>\n<thead><tr><th scope=\"col\">method<th scope=\"col\">λ"
      "<th scope=\"col\">runs<th scope=\"col\">error %<th scope=\"col\">gap, points"
      "<th scope=\"col\">balanced error %<th scope=\"col\">precision %<th scope=\"col\">recall %"
      "<th scope=\"col\">AUC<th scope=\"col\">Brier score"
      "<th scope=\"col\">soft gap<th scope=\"col\">error, training rows<th scope=\"col\">gap, "
      "training rows<th scope=\"col\">favourable predictions by group, %<th scope=\"col\">statement"
      "</thead>\n<tbody>\n{}</tbody></table></div></details>\n",
      open ? " open" : "", name, name, name, rows);
}

struct Word {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kWords = {
    Word{"error", "share of wrong predictions among people the model has not seen"},
    Word{"gap",
         "largest difference between two groups in how often they get the same prediction "
         "(demographic parity), or get it among people with the same true label (equalized "
         "odds; equal opportunity: the favourable label)"},
    Word{"balanced error, precision, recall",
         "the mean error over true labels; the share of favourable predictions that are right; the "
         "share of people with the favourable label who get the favourable prediction"},
    Word{"AUC, Brier score, calibration",
         "how often a person with the favourable label is given a larger probability than one "
         "without; the mean squared distance between that probability and what is true; whether "
         "of people with about the same probability as many have the label as it says"},
    Word{"ε",
         "how much the result may reveal about one person’s protected attribute: small is "
         "private, and “not private” promises nothing"},
    Word{"λ", "weight of fairness in training; 0 ignores it"},
    Word{"honest",
         "no person and no copy of a row is on both sides of a split; every split is "
         "random"},
    Word{"as-published",
         "the files and the one split of the paper’s authors, copies included; only "
         "noise differs between runs"},
    Word{"each run stands alone",
         "privacy is stated for every run by itself, as it is with secret noise; a reader of "
         "several of them learns more, and anyone who knows the seed can subtract the noise"},
    Word{"exact, not private",
         "figures on this page read the protected attribute: they are for "
         "the holder of the data, not for publication"},
};

std::string entry(const Word& word) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", word.name, word.meaning);
}

bool has_method(const ReportData& data, std::string_view name) {
  return std::ranges::any_of(data.panels, [&](const ReportPanel& panel) {
    return std::ranges::any_of(
        panel.curves, [&](const Curve& curve) { return !curve.published && curve.method == name; });
  });
}

}  // namespace

std::string epsilon_text(std::optional<double> epsilon) {
  return epsilon ? "ε = " + shortest(*epsilon) : "not private";
}

bool is_plain(const Curve& curve) {
  return curve.descriptor() != nullptr && curve.descriptor()->plain;
}

std::string curve_label(const Curve& curve) {
  return fmt::format(
      "{}{}, {}", curve.method, curve.published ? " (published)" : "",
      is_plain(curve) ? "without the protected attribute" : epsilon_text(curve.epsilon));
}

std::string tables_html(const ReportData& data) {
  std::string html;
  for (const ReportPanel& panel : data.panels) html += table_html(panel, data.panels.size() == 1);
  return html;
}

std::string statements_html(const std::vector<PrivacyStatement>& statements) {
  if (statements.empty()) {
    return "<p class=\"hint\">No run of this sweep promises privacy.</p>";
  }
  std::string html = fmt::format(
      "<p class=\"hint\">One for each kind of run; where runs of a point differ, the one "
      "that promises least.</p>\n<details{}><summary>{} statement{}</summary>\n<div "
      "class=\"within\">\n",
      statements.size() <= 4 ? " open" : "", statements.size(), statements.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const PrivacyStatement& statement = statements[i];
    const auto& given = statement.cost_given_shares;
    const std::string cost =
        statement.cost ? fmt::format("ε = {}, δ = {}", rounded_up(statement.cost->epsilon),
                                     rounded_up(statement.cost->delta, 3))
                       : fmt::format("no guarantee{}",
                                     given ? fmt::format(" (ε = {} if group shares were public)",
                                                         rounded_up(given->epsilon))
                                           : "");
    html += fmt::format(
        "<details id=\"statement-{0}\"><summary>Statement {0} <span class=\"kind\">· {1}{2}</span>"
        "</summary><pre class=\"statement\">{3}</pre></details>\n",
        i + 1, cost, is_private(statement) || !statement.cost ? "" : ", were the noise secret",
        escape_html(describe(statement)));
  }
  return html + "</div></details>\n";
}

std::string about_html(const ReportData& data) {
  std::string html = "<dl class=\"glossary\">\n";
  for (const Method method : all_methods()) {
    if (has_method(data, method->name)) html += entry({method->name, method->summary});
  }
  for (const Word& word : kWords) html += entry(word);
  html += "</dl>\n<p class=\"hint\">Made by <code>" + escape_html(data.description.command) +
          "</code> with dpfermi " + escape_html(data.description.version) + ".</p>\n";
  return html;
}

}  // namespace dpfermi
