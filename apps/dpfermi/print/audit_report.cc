#include "print/audit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/text.h"
#include "dpfermi/core/version.h"
#include "print/text_table.h"
#include "report/html.h"

namespace dpfermi::cli {
namespace {

constexpr std::size_t kLongText = 400;

const char* word(Verdict verdict) {
  return verdict == Verdict::kGreen ? "green" : "RED";
}

/// How bad a finding is: broken ones first, then the larger value, then the smaller p-value.
auto badness(const Finding& finding) {
  return std::tuple(finding.verdict == Verdict::kRed,
                    finding.value.value_or(-std::numeric_limits<double>::infinity()),
                    -finding.p_value.value_or(1));
}

/// The worst finding of an attempt, over the cases it was tried on.
struct Attempt {
  const Finding* worst;
  std::size_t cases;
};

std::vector<Attempt> summarise(const AuditReport& report) {
  std::vector<Attempt> attempts;
  for (const Finding& finding : report.findings) {
    const auto same = std::ranges::find_if(attempts, [&](const Attempt& attempt) {
      const Finding& other = *attempt.worst;
      return other.tier == finding.tier && other.method == finding.method &&
             other.adjacency == finding.adjacency && other.attempt == finding.attempt;
    });
    if (same == attempts.end()) {
      attempts.push_back({&finding, 1});
      continue;
    }
    ++same->cases;
    if (badness(finding) > badness(*same->worst)) same->worst = &finding;
  }
  return attempts;
}

std::string confidence(const Finding& finding) {
  return finding.p_value ? fmt::format("p {:.2g}", *finding.p_value) : "deterministic";
}

std::string conclusion(const AuditReport& report) {
  const auto red = std::ranges::count(report.findings, Verdict::kRed, &Finding::verdict);
  std::string text = red == 0
                         ? fmt::format("All {} findings are green", report.findings.size())
                         : fmt::format("{} of {} findings are RED", red, report.findings.size());
  if (report.false_alarm_rate > 0) {
    text += fmt::format("; a correct build shows a red one with probability at most {:.2g}",
                        report.false_alarm_rate);
  }
  return text + ".";
}

constexpr const char* kInvented =
    "All protected values were synthetic: the page says nothing about any person, and a green "
    "page is not a proof, only the failure of these attacks.";

/// Cells of the page's table.
std::vector<std::vector<std::string>> cells(const AuditReport& report) {
  std::vector<std::vector<std::string>> rows{{"tier", "method", "adjacency", "case", "tried",
                                              "claimed", "observed", "confidence", "verdict"}};
  for (const Finding& finding : report.findings) {
    std::string observed = finding.observed;
    if (!finding.note.empty()) observed += " (" + finding.note + ")";
    std::vector<std::string> row{std::string(to_string(finding.tier)),
                                 finding.method,
                                 std::string(to_string(finding.adjacency)),
                                 finding.subject,
                                 finding.attempt,
                                 finding.claimed,
                                 observed,
                                 confidence(finding),
                                 word(finding.verdict)};
    for (std::string& cell : row) cell = printable(cell, kLongText);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// "people.csv: 23 findings, 0 of them RED.", after an empty line.
std::string own_text(const AuditReport& report, const std::string& own) {
  std::size_t all = 0;
  std::size_t red = 0;
  for (const Finding& finding : report.findings) {
    if (finding.subject != own) continue;
    ++all;
    red += finding.verdict == Verdict::kRed ? 1 : 0;
  }
  return fmt::format("\n{}: {} findings, {} of them RED.\n", printable(own), all, red);
}

}  // namespace

std::string audit_text(const AuditReport& report, const std::string& own) {
  TextTable table(
      {"tier", "method", "adjacency", "tried", "cases", "claimed", "observed", "verdict"});
  for (const auto& [worst, cases] : summarise(report)) {
    std::string observed = worst->observed;
    if (worst->p_value) observed += ", " + confidence(*worst);
    table.add({std::string(to_string(worst->tier)), worst->method,
               std::string(to_string(worst->adjacency)), worst->attempt, fmt::format("{}", cases),
               worst->claimed, observed, word(worst->verdict)});
  }
  std::string text = table.to_string();
  if (!own.empty()) text += own_text(report, own);
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::kGreen) continue;
    text +=
        fmt::format("\nRED  {}, {}, {} ({}): {}\n     claimed {}; observed {}{}\n",
                    to_string(finding.tier), finding.method, to_string(finding.adjacency),
                    printable(finding.subject), finding.attempt, finding.claimed, finding.observed,
                    finding.note.empty() ? "" : ": " + printable(finding.note, kLongText));
  }
  return text + "\n" + conclusion(report) + "\n";
}

std::string audit_markdown(const AuditReport& report) {
  std::string text = fmt::format("# Privacy audit\n\n{} dpfermi {}.\n\n{}\n\n", conclusion(report),
                                 version(), kInvented);
  bool header = true;
  for (const std::vector<std::string>& row : cells(report)) {
    text += "|";
    for (const std::string& cell : row) {
      text += fmt::format(" {} |", replace_all(cell, "|", "\\|"));
    }
    text += "\n";
    if (header) text += "|---|---|---|---|---|---|---|---|---|\n";
    header = false;
  }
  return text;
}

std::string audit_html(const AuditReport& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
      "name=\"viewport\" content=\"width=device-width\"><title>Privacy "
      "audit</title>\n<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:80em;margin:2em "
      "auto;padding:0 1em}}table{{border-collapse:collapse}}td,th{{text-align:left;padding:.3em "
      ".7em;border-bottom:1px solid #ccc;vertical-align:top}}.RED{{background:#fdd}}"
      ".scroll{{overflow-x:auto}}</style></head>\n<body><main><h1>Privacy audit</h1>\n<p>{} "
      "dpfermi "
      "{}.</p>\n<p>{}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Findings\"><table>\n",
      escape_html(conclusion(report)), version(), kInvented);
  bool header = true;
  for (const std::vector<std::string>& row : cells(report)) {
    const char* tag = header ? "th" : "td";
    text += fmt::format("<tr class=\"{}\">", escape_html(row.back()));
    for (const std::string& cell : row)
      text += fmt::format("<{0}>{1}</{0}>", tag, escape_html(cell));
    text += "</tr>\n";
    header = false;
  }
  return text + "</table></div></main></body></html>\n";
}

}  // namespace dpfermi::cli
