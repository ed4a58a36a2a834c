#include "report/card_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "dpfermi/core/version.h"
#include "report/budget_page.h"
#include "report/html.h"

namespace dpfermi {
namespace {

constexpr std::size_t kLabelWidth = 11;  // of the lines "  label      text" of a card

std::vector<std::string_view> pieces(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return all;
}

bool is_labelled(std::string_view line) {
  return line.size() > 2 + kLabelWidth && line.starts_with("  ") && line[2] != ' ' &&
         line[1 + kLabelWidth] == ' ' && line[2 + kLabelWidth] != ' ';
}

bool is_indented(std::string_view line) {
  return line.starts_with("  ");
}

std::string labelled_html(const std::vector<std::string_view>& lines) {
  std::string html = "<dl class=\"card\">\n";
  for (const std::string_view line : lines) {
    std::string_view label = line.substr(2, kLabelWidth);
    label = label.substr(0, label.find_last_not_of(' ') + 1);
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_html(label),
                        escape_html(line.substr(2 + kLabelWidth)));
  }
  return html + "</dl>\n";
}

std::string lines_html(const std::vector<std::string_view>& lines) {
  if (lines.empty()) return "";
  if (std::ranges::all_of(lines, is_labelled)) return labelled_html(lines);
  const bool indented = std::ranges::all_of(lines, is_indented);
  std::string text;
  for (const std::string_view line : lines) {
    text += escape_html(line.substr(indented ? 2 : 0)) + "\n";
  }
  return fmt::format("<pre class=\"card\">{}</pre>\n", text);
}

/// A block whose first line alone is not indented has it as its heading.
std::string block_html(std::string_view block) {
  std::vector<std::string_view> lines = pieces(block, "\n");
  const bool headed = lines.size() > 1 && !is_indented(lines.front()) &&
                      std::all_of(lines.begin() + 1, lines.end(), is_indented);
  std::string heading;
  if (headed) {
    heading = fmt::format("<h2>{}</h2>\n", escape_html(lines.front()));
    lines.erase(lines.begin());
  }
  return fmt::format("<section>{}{}</section>\n", heading, lines_html(lines));
}

}  // namespace

Result<std::string> card_page(const CardMaterial& material) {
  std::vector<std::string_view> blocks = pieces(material.card, "\n\n");
  const std::string_view lead = blocks.front().substr(0, blocks.front().find('\n'));
  std::string sections;
  if (blocks.front().size() > lead.size()) {
    sections = fmt::format("<section>{}</section>\n",
                           lines_html(pieces(blocks.front().substr(lead.size() + 1), "\n")));
  }
  for (const std::string_view block : std::span(blocks).subspan(1)) sections += block_html(block);
  return paper_page({.kind = "card",
                     .title = material.file,
                     .lead = std::string(lead),
                     .sections = sections,
                     .footer = fmt::format("dpfermi {} · {}, SHA-256 {}", version(), material.file,
                                           material.digest),
                     .check = check_part({{"The file", material.statement}})});
}

}  // namespace dpfermi
