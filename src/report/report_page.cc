#include "report/report_page.h"

#include <fmt/format.h>

#include "core/text.h"
#include "dpfermi/core/version.h"
#include "experiment/public_figures.h"
#include "report/check_part.h"
#include "report/data_json.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/page_policy.h"
#include "report/sections.h"

namespace dpfermi {
namespace {

constexpr const char* kImages = "data: blob:";  // the download of a chart as PNG

std::string title_of(const SweepDescription& description) {
  return escape_html(description.title.empty() ? "Trade-offs" : description.title);
}

std::string unfinished(bool complete) {
  return complete ? "" : "<li class=\"stamp exact\">unfinished sweep</li>";
}

std::string footer(const SweepDescription& description, std::size_t runs) {
  return fmt::format("dpfermi {} · {} runs · {}", version(), with_thousands(runs),
                     escape_html(description.command));
}

std::string public_table(const PublicPanel& panel) {
  const std::string name = escape_html(panel.name);
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"numbers\"><caption>{0}</caption>\n<thead><tr>",
      name);
  for (const std::string& title : public_titles()) {
    html += fmt::format("<th scope=\"col\">{}", title);
  }
  html += "</thead>\n<tbody>\n";
  for (const PublicModel& model : panel.models) {
    html += "<tr>";
    for (const std::string& cell : public_cells(model)) html += "<td>" + escape_html(cell);
    html += "\n";
  }
  return html + "</tbody></table></div>\n";
}

/// Numbered as the page numbers them.
std::vector<NamedStatement> numbered(const std::vector<PrivacyStatement>& statements) {
  std::vector<NamedStatement> all;
  for (const PrivacyStatement& statement : statements) {
    all.push_back({fmt::format("Statement {}", all.size() + 1), statement});
  }
  return all;
}

}  // namespace

Result<std::string> report_page(const ReportData& data) {
  const std::string library = page_part("library");
  const std::string script = page_part("script");
  const CheckPart check = check_part(numbered(data.statements));
  DPFERMI_ASSIGN(
      const std::string allowed,
      policy_text({.scripts = {library, script, check.script}, .styles = {}, .images = kImages}));
  return fill_template(page_part("page"),
                       {{"policy", allowed},
                        {"version", std::string(version())},
                        {"title", title_of(data.description)},
                        {"stamp", escape_html(data.description.stamp)},
                        {"unfinished", unfinished(data.complete)},
                        {"styles", page_part("styles") + check.styles},
                        {"answers", answers_html(data)},
                        {"tables", tables_html(data)},
                        {"statements", statements_html(data.statements)},
                        {"check", check.section},
                        {"about", about_html(data)},
                        {"licences", licences_html(page_part("licences") + check.licences)},
                        {"footer", footer(data.description, data.runs)},
                        {"data", script_json(page_json(data))},
                        {"library", library},
                        {"script", script},
                        {"check_elements", check.elements}});
}

Result<std::string> public_page(const SweepResults& results) {
  std::string tables;
  for (const PublicPanel& panel : public_panels(results.runs)) tables += public_table(panel);
  std::vector<PrivacyStatement> statements;
  for (const RunRecord& run : results.runs) {
    if (run.privacy) index_of(statements, *run.privacy);
  }
  const CheckPart check = check_part(numbered(statements));
  const std::string styles = page_part("styles") + check.styles;
  DPFERMI_ASSIGN(const std::string allowed,
                 policy_text({.scripts = {check.script}, .styles = {styles}, .images = {}}));
  return fill_template(page_part("public"),
                       {{"policy", allowed},
                        {"version", std::string(version())},
                        {"title", title_of(results.description)},
                        {"stamp", escape_html(results.description.stamp)},
                        {"unfinished", unfinished(results.complete)},
                        {"styles", styles},
                        {"tables", tables},
                        {"statements", statements_html(statements)},
                        {"check", check.section},
                        {"check_licences", licences_html(check.licences)},
                        {"footer", footer(results.description, results.runs.size())},
                        {"check_elements", check.elements}});
}

}  // namespace dpfermi
