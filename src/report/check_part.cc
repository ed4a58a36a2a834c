#include "report/check_part.h"

#include <fmt/format.h>

#include "privacy/statement_json.h"
#include "report/html.h"
#include "report/page_parts.h"

namespace dpfermi {
namespace {

constexpr const char* kSection = R"(<section id="check" aria-labelledby="check-title">
  <h2 id="check-title">Does the stated epsilon follow from the listed releases?</h2>
  <p class="hint">Your browser recomputes it with the accountant of dpfermi, which is in this page. Nothing is sent or fetched.
  <b>This checks the arithmetic, not what was run.</b></p>
  <noscript><p class="note">The check needs scripts, which are off here.</p></noscript>
  <div id="check-place"></div>
</section>
)";

std::string data_json(const std::vector<NamedStatement>& statements) {
  Json json = Json::array();
  for (const auto& [name, statement] : statements) {
    json.push_back({{"name", name}, {"statement", json_of(statement)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

bool has_check_module() {
  return !page_part("check_module").empty();
}

CheckPart check_part(const std::vector<NamedStatement>& statements) {
  if (statements.empty() || !has_check_module()) return {};
  const std::string script = page_part("check_script");
  return {.section = kSection,
          .elements = fmt::format(
              "<script type=\"application/json\" id=\"check-data\">{}</script>\n"
              "<script type=\"text/plain\" id=\"check-module\">{}</script>\n<script>{}</script>\n",
              script_json(data_json(statements)), page_part("check_module"), script),
          .styles = page_part("check_styles"),
          .script = script,
          .licences = page_part("check_licences")};
}

}  // namespace dpfermi
