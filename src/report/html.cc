#include "report/html.h"

#include <fmt/format.h>

#include <cassert>

#include "core/text.h"

namespace dpfermi {
namespace {

constexpr std::string_view kNoBreak = "\u00A0";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  if (control) {
    out += kReplacement;
  } else {
    out += c;
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t valid = std::min(find_invalid_utf8(text), text.size());
    for (const char c : text.substr(0, valid)) append_escaped(out, c);
    text.remove_prefix(valid);
    if (text.empty()) break;
    out += kReplacement;
    text.remove_prefix(1);
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  for (;;) {
    const std::size_t open = text.find("{{");
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = text.find("}}", open);
    assert(close != std::string_view::npos);
    const auto value = values.find(std::string(text.substr(open + 2, close - open - 2)));
    assert(value != values.end());
    out += value->second;
    text.remove_prefix(close + 2);
  }
}

std::string licences_html(std::string_view text) {
  if (text.empty()) return "";
  return fmt::format(
      "<details><summary>Licences of the libraries in this page</summary>\n<pre class=\"licences\" "
      "tabindex=\"0\" aria-label=\"Licence texts\">{}</pre></details>\n",
      escape_html(text));
}

std::string percent(double value, int digits) {
  return fmt::format("{:.{}f}{}%", 100 * value, digits, kNoBreak);
}

std::string points(double value, int digits) {
  return fmt::format("{:.{}f}{}points", 100 * value, digits, kNoBreak);
}

}  // namespace dpfermi
