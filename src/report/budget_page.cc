#include "report/budget_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <ctime>

#include "core/text.h"
#include "dpfermi/core/version.h"
#include "report/html.h"
#include "report/page_policy.h"
#include "report/paper_parts.h"

namespace dpfermi {
namespace {

// Of the drawing, in its own units.
constexpr double kChartWidth = 720;
constexpr double kChartHeight = 250;
constexpr double kLeftMargin = 56;
constexpr double kRightMargin = 18;
constexpr double kTopMargin = 26;
constexpr double kBottomMargin = 32;
constexpr double kPlotHeight = kChartHeight - kTopMargin - kBottomMargin;

std::string paper_part(std::string_view name) {
  const auto parts = paper_parts();
  const auto found = std::ranges::find(parts, name, &EmbeddedText::name);
  assert(found != parts.end());
  return std::string(found->text);
}

std::string field(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

/// Seconds of an entry's time; 0 where it is not one.
double seconds_of(const Json& entry) {
  std::tm time{};
  const std::string text = field(entry, "time");
  return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr
             ? 0
             : static_cast<double>(timegm(&time));
}

/// "2026-11-18 17:15:07".
std::string second_of(const Json& entry) {
  std::string text = field(entry, "time").substr(0, 19);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

/// "2026-11-18 17:15".
std::string minute_of(const Json& entry) {
  return second_of(entry).substr(0, 16);
}

double amount_of(const Json& entry, const char* key) {
  const auto amount = Amount::parse(field(entry, key), Rounding::kUp);
  return amount ? amount->to_double(Rounding::kUp) : INFINITY;
}

/// The scales of one chart. Sums that are infinite are drawn at its top.
class BudgetChart {
 public:
  BudgetChart(const BudgetState& budget, const std::vector<Json>& charges,
              const std::vector<std::string>& runs)
      : charges_(&charges), runs_(&runs) {
    if (budget.cap) cap_ = budget.cap->epsilon.to_double(Rounding::kDown);
    first_ = seconds_of(charges.front());
    last_ = seconds_of(charges.back());
    most_ = cap_.value_or(0);
    for (const Json& charge : charges) {
      const double spent = amount_of(charge, "spent_epsilon");
      if (std::isfinite(spent)) most_ = std::max(most_, spent);
    }
    if (most_ == 0) most_ = 1;
  }

  std::string svg(const std::string& title) const {
    return fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" font-family=\"inherit\" "
        "font-size=\"12\">\n{}{}{}</svg>\n",
        kChartWidth, kChartHeight, escape_html(title), axes(), cap_line(), line());
  }

 private:
  /// By time, or by order where all charges fall into one second.
  double x(std::size_t i) const {
    const double span = kChartWidth - kLeftMargin - kRightMargin - 30;
    const double share = last_ > first_ ? (seconds_of((*charges_)[i]) - first_) / (last_ - first_)
                         : charges_->size() > 1
                             ? static_cast<double>(i) / static_cast<double>(charges_->size() - 1)
                             : 0;
    return kLeftMargin + 15 + span * share;
  }

  double y(double epsilon) const {
    const double share = std::isfinite(epsilon) ? std::min(1.0, epsilon / (1.08 * most_)) : 1;
    return kTopMargin + kPlotHeight * (1 - share);
  }

  static std::string text(double x, double y, std::string_view anchor, const std::string& words) {
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"#3d444b\">{}</text>\n", x, y,
        anchor, escape_html(words));
  }

  std::string axes() const {
    std::string out = text(kLeftMargin - 44, 18, "start", "epsilon spent, in all");
    for (int tick = 0; tick <= 4; ++tick) {
      const double value = most_ * tick / 4;
      out += fmt::format(
          "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d9d6cd\"/>\n",
          kLeftMargin, kChartWidth - kRightMargin, y(value), y(value));
      out += text(kLeftMargin - 8, y(value) + 4, "end", fmt::format("{:.3g}", value));
    }
    const double low = kChartHeight - kBottomMargin + 22;
    const bool one_minute = minute_of(charges_->front()) == minute_of(charges_->back());
    const auto time_of = one_minute ? second_of : minute_of;
    out += text(kLeftMargin, low, "start", time_of(charges_->front()) + " UTC");
    if (charges_->size() == 1) return out;
    return out + text(kChartWidth - kRightMargin, low, "end",
                      last_ > first_ ? time_of(charges_->back()) + " UTC" : "in their order");
  }

  std::string cap_line() const {
    if (!cap_) return "";
    return fmt::format(
               "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#7a3b00\" "
               "stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>\n",
               kLeftMargin, kChartWidth - kRightMargin, y(*cap_), y(*cap_)) +
           text(kChartWidth - kRightMargin, y(*cap_) - 5, "end",
                fmt::format("limit {}", shortest(*cap_)));
  }

  std::string line() const {
    std::string path = fmt::format("M{} {:.1f}", kLeftMargin, y(0));
    std::string dots;
    for (std::size_t i = 0; i < charges_->size(); ++i) {
      const Json& charge = (*charges_)[i];
      const double height = y(amount_of(charge, "spent_epsilon"));
      path += fmt::format("H{:.1f}V{:.1f}", x(i), height);
      const bool own = contains(*runs_, field(charge, "run"));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x(i),
                          height, own ? 5 : 3.5, own ? "#005a8c" : "#545b63");
    }
    path += fmt::format("H{}", kChartWidth - kRightMargin);
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#005a8c\" stroke-width=\"2\"/>\n{}",
                       path, dots);
  }

  const std::vector<Json>* charges_;
  const std::vector<std::string>* runs_;
  std::optional<double> cap_;
  double first_ = 0;
  double last_ = 0;
  double most_ = 0;
};

std::string seed_remark(const Json& charge) {
  if (charge.value("rehearsal", false)) return " (rehearsal on synthetic data)";
  return charge.at("fixed_seed").get<bool>() ? " (fixed seed, not private)" : "";
}

std::string charges_table(const std::vector<Json>& charges, const std::vector<std::string>& runs) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Every charge of the "
      "budget\"><table{}><caption><span>Every charge of the budget{}<span class=\"sideways\"> "
      "(scroll sideways)</span></span></caption>\n<thead><tr>"
      "<th scope=\"col\">entry</th><th scope=\"col\">time (UTC)</th><th scope=\"col\">run</th>"
      "<th scope=\"col\">for</th><th scope=\"col\" class=\"number\">epsilon</th>"
      "<th scope=\"col\" class=\"number\">delta</th>"
      "<th scope=\"col\" class=\"number\">epsilon in all</th></tr></thead>\n<tbody>\n",
      runs.empty() ? "" : " class=\"marked\"",
      runs.empty() ? "" : "; those of this model are marked");
  for (const Json& charge : charges) {
    html += fmt::format(
        "<tr{}><td>{}</td><td>{}</td><td>{}</td><td class=\"words\">{}{}</td><td "
        "class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        contains(runs, field(charge, "run")) ? " class=\"own\"" : "",
        charge.at("sequence").get<std::uint64_t>(), escape_html(minute_of(charge)),
        escape_html(field(charge, "run")), escape_html(field(charge, "purpose")),
        seed_remark(charge), rounded_up(amount_of(charge, "epsilon")),
        rounded_up(amount_of(charge, "delta")), rounded_up(amount_of(charge, "spent_epsilon")));
  }
  return html + "</tbody></table></div>\n";
}

std::string left_sentence(const BudgetState& budget) {
  if (!budget.cap) return "It has no limit: spending is recorded, not stopped.";
  return fmt::format("Its limit is epsilon {} and delta {}; a run that does not fit is refused.",
                     shortest(budget.cap->epsilon.to_double(Rounding::kDown)),
                     shortest(budget.cap->delta.to_double(Rounding::kDown)));
}

}  // namespace

Result<std::vector<Json>> ledger_entries(const LedgerFile& ledger) {
  std::vector<Json> entries;
  DPFERMI_TRY(ledger.for_each_entry([&](const LedgerEntry& entry) -> Status {
    entries.push_back(Json::parse(entry.body));
    entries.back()["sequence"] = entry.sequence;
    return {};
  }));
  return entries;
}

std::vector<Json> charges_of(const std::vector<Json>& entries, const std::string& budget) {
  std::vector<Json> charges;
  std::ranges::copy_if(entries, std::back_inserter(charges), [&](const Json& entry) {
    return entry.at("kind") == "charge" && entry.at("budget") == budget;
  });
  return charges;
}

std::string budget_history_html(const BudgetState& budget, const std::vector<Json>& charges,
                                const std::vector<std::string>& runs) {
  if (charges.empty()) return "<p>Nothing has been charged to it.</p>\n";
  const std::string title = fmt::format("Epsilon spent from budget '{}' over time", budget.name);
  return fmt::format("<figure>{}<figcaption>{}{}</figcaption></figure>\n{}",
                     BudgetChart(budget, charges, runs).svg(title), escape_html(title + "."),
                     runs.empty() ? "" : " Large dots: the charges of this model.",
                     charges_table(charges, runs));
}

namespace {

std::string lead_html(const PaperPage& page) {
  if (page.lead_source.empty()) return escape_html(page.lead);
  return fmt::format("{} <span class=\"source\">{}</span>", escape_html(page.lead),
                     escape_html(page.lead_source));
}

}  // namespace

Result<std::string> paper_page(const PaperPage& page) {
  const std::string styles = paper_part("paper") + page.check.styles;
  DPFERMI_ASSIGN(const std::string allowed,
                 policy_text({.scripts = {page.check.script}, .styles = {styles}, .images = {}}));
  return fill_template(paper_part("dossier"), {{"policy", allowed},
                                               {"version", std::string(version())},
                                               {"styles", styles},
                                               {"kind", escape_html(page.kind)},
                                               {"title", escape_html(page.title)},
                                               {"lead", lead_html(page)},
                                               {"sections", page.sections + page.check.section},
                                               {"footer", escape_html(page.footer)},
                                               {"licences", licences_html(page.check.licences)},
                                               {"elements", page.check.elements}});
}

Result<std::string> ledger_page(const LedgerFile& ledger, const std::vector<BudgetState>& budgets) {
  DPFERMI_ASSIGN(const std::vector<Json> entries, ledger_entries(ledger));
  DPFERMI_ASSIGN(const LedgerHead head, ledger.head());
  std::string sections;
  for (const BudgetState& budget : budgets) {
    sections +=
        fmt::format("<section><h2>{}</h2>\n<p>Adjacency {}. {}</p>\n{}</section>\n",
                    escape_html(budget.name), to_string(budget.adjacency), left_sentence(budget),
                    budget_history_html(budget, charges_of(entries, budget.name)));
  }
  return paper_page(
      {.kind = "ledger",
       .title = "What was spent, and when",
       .lead = fmt::format("{} budget{} in {}", budgets.size(), budgets.size() == 1 ? "" : "s",
                           ledger.path().string()),
       .sections = sections,
       .footer = fmt::format("dpfermi {} · ledger head {}", version(), to_string(head))});
}

}  // namespace dpfermi
