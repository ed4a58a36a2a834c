#include "report/report_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "core/text.h"
#include "dpfermi/core/version.h"
#include "experiment/public_figures.h"
#include "report/data_json.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/sections.h"

namespace dpfermi {
namespace {

std::string part(std::string_view name) {
  const auto parts = page_parts();
  const auto found = std::ranges::find(parts, name, &EmbeddedText::name);
  assert(found != parts.end());
  return std::string(found->text);
}

/// 'sha256-...' of an inline script, as a content security policy names it.
Result<std::string> script_source(const std::string& script) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(script.data(), script.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return failed("cannot compute a SHA-256; check the installation of OpenSSL");
  }
  std::array<unsigned char, 64> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(size));
  return fmt::format("'sha256-{}'", std::string(text.begin(), text.begin() + length));
}

/// The charts are compiled to functions by their library, from specifications that hold no text of
/// the data as code: hence 'unsafe-eval'. Nothing else may run, and nothing may be loaded.
Result<std::string> policy(const std::string& library, const std::string& script) {
  DPFERMI_ASSIGN(const std::string first, script_source(library));
  DPFERMI_ASSIGN(const std::string second, script_source(script));
  return fmt::format(
      "default-src 'none'; script-src {} {} 'unsafe-eval'; style-src 'unsafe-inline'; img-src "
      "data: blob:; base-uri 'none'; form-action 'none'",
      first, second);
}

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

}  // namespace

Result<std::string> report_page(const ReportData& data) {
  const std::string library = part("library");
  const std::string script = part("script");
  DPFERMI_ASSIGN(const std::string allowed, policy(library, script));
  return fill_template(part("page"), {{"policy", allowed},
                                      {"version", std::string(version())},
                                      {"title", title_of(data.description)},
                                      {"stamp", escape_html(data.description.stamp)},
                                      {"unfinished", unfinished(data.complete)},
                                      {"styles", part("styles")},
                                      {"answers", answers_html(data)},
                                      {"tables", tables_html(data)},
                                      {"statements", statements_html(data.statements)},
                                      {"about", about_html(data)},
                                      {"licences", escape_html(part("licences"))},
                                      {"footer", footer(data.description, data.runs)},
                                      {"data", script_json(page_json(data))},
                                      {"library", library},
                                      {"script", script}});
}

std::string public_page(const SweepResults& results) {
  std::string tables;
  for (const PublicPanel& panel : public_panels(results.runs)) tables += public_table(panel);
  std::vector<PrivacyStatement> statements;
  for (const RunRecord& run : results.runs) {
    if (run.privacy) index_of(statements, *run.privacy);
  }
  return fill_template(part("public"),
                       {{"version", std::string(version())},
                        {"title", title_of(results.description)},
                        {"stamp", escape_html(results.description.stamp)},
                        {"unfinished", unfinished(results.complete)},
                        {"styles", part("styles")},
                        {"tables", tables},
                        {"statements", statements_html(statements)},
                        {"footer", footer(results.description, results.runs.size())}});
}

}  // namespace dpfermi
