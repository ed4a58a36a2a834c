#include "report/report_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "core/text.h"
#include "dpfermi/core/version.h"
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

std::string footer(const ReportData& data) {
  return fmt::format("dpfermi {} · {} runs · {}", version(), with_thousands(data.runs),
                     escape_html(data.description.command));
}

}  // namespace

Result<std::string> report_page(const ReportData& data) {
  const std::string library = part("library");
  const std::string script = part("script");
  DPFERMI_ASSIGN(const std::string allowed, policy(library, script));
  const std::string title =
      data.description.title.empty() ? std::string("Trade-offs") : data.description.title;
  return fill_template(
      part("page"),
      {{"policy", allowed},
       {"version", std::string(version())},
       {"title", escape_html(title)},
       {"stamp", escape_html(data.description.stamp)},
       {"unfinished", data.complete ? "" : "<li class=\"stamp exact\">unfinished sweep</li>"},
       {"styles", part("styles")},
       {"answers", answers_html(data)},
       {"tables", tables_html(data)},
       {"statements", statements_html(data)},
       {"about", about_html(data)},
       {"licences", escape_html(part("licences"))},
       {"footer", footer(data)},
       {"data", script_json(page_json(data))},
       {"library", library},
       {"script", script}});
}

}  // namespace dpfermi
