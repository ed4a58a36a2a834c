#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "print/reference_facts.h"
#include "print/reference_pages.h"

namespace dpfermi::cli {
namespace {

constexpr std::string_view kMarkdownOrigin =
    "<!-- Written by: dpfermi reference --format markdown --out docs/reference -->\n";

/// Text that Markdown shows as it is, in the cell of a table too.
std::string markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|$~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string markdown_code(std::string_view text) {
  std::string result = "`";
  for (const char c : text) {
    if (c == '|') result += '\\';  // a bar ends a cell, even in code
    result += c;
  }
  return result + "`";
}

std::string markdown_value(const OptionEntry& option) {
  if (!option.choices.empty())
    return markdown_code(fmt::format("{}", fmt::join(option.choices, "|")));
  if (option.value.empty()) return "";
  return markdown_code(option.value + (option.repeated ? "..." : ""));
}

std::string markdown_meaning(const OptionEntry& option) {
  std::string text = markdown(option.meaning);
  if (!option.usual.empty()) text += fmt::format(" (default {})", markdown_code(option.usual));
  return option.required ? text + " **(required)**" : text;
}

std::string markdown_table(const std::vector<OptionEntry>& options) {
  std::string text = "| option | value | meaning |\n|---|---|---|\n";
  for (const OptionEntry& option : options) {
    text += fmt::format("| {} | {} | {} |\n",
                        markdown_code(fmt::format("{}", fmt::join(option.names, ", "))),
                        markdown_value(option), markdown_meaning(option));
  }
  return text;
}

/// --help is the same everywhere; the page of the tool lists it.
std::vector<OptionGroup> groups_without_help(const CommandPage& page) {
  std::vector<OptionGroup> groups = page.groups;
  for (OptionGroup& group : groups) {
    std::erase_if(group.options,
                  [](const OptionEntry& option) { return option.names.back() == "--help"; });
  }
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

/// What a command is, without its title and its own commands.
std::string markdown_body(const CommandPage& page) {
  std::string text = fmt::format("{}.\n\n```text\n{}\n```\n", markdown(page.summary), page.usage());
  if (!page.arguments.empty()) {
    text += "\n| argument | meaning |\n|---|---|\n";
    for (const OptionEntry& argument : page.arguments) {
      text += fmt::format("| {} | {} |\n", markdown_code(argument.names.front()),
                          markdown_meaning(argument));
    }
  }
  const std::vector<OptionGroup> groups = groups_without_help(page);
  for (const OptionGroup& group : groups) {
    if (groups.size() > 1) text += fmt::format("\n**{}**\n", markdown(group.title));
    text += "\n" + markdown_table(group.options);
  }
  if (!page.examples.empty()) text += fmt::format("\n```sh\n{}\n```\n", page.examples);
  return text;
}

std::string markdown_page(const CommandPage& command) {
  std::string text = fmt::format(
      "# {}\n{}\n{}\nOptions of every command, exit codes and environment: [dpfermi](README.md).\n",
      command.command, kMarkdownOrigin, markdown_body(command));
  for (const CommandPage& sub : command.subs) {
    text += fmt::format("\n## {}\n{}", sub.command, markdown_body(sub));
  }
  return text;
}

std::string markdown_front_page(const CommandPage& tool) {
  std::string text = fmt::format("# {}\n{}\n{}\n\n```text\n{}\n```\n", tool.command,
                                 kMarkdownOrigin, markdown(tool.summary), tool.usage());
  text += "\n## Commands\n| command | what it does |\n|---|---|\n";
  for (const CommandPage& command : tool.subs) {
    text += fmt::format("| [{0}]({0}.md) | {1} |\n", command.name(), markdown(command.summary));
  }
  text += "\n## Options of every command\n";
  for (const OptionGroup& group : tool.groups) text += markdown_table(group.options);
  text += "\n## Exit codes\n| code | meaning |\n|---|---|\n";
  for (const ExitCode& exit : kExitCodes) {
    text += fmt::format("| {} | {} |\n", exit.value, markdown(exit.meaning));
  }
  text += "\nResults go to standard output, everything else to standard error.\n";
  text += "\n## Environment\n| variable | meaning |\n|---|---|\n";
  for (const EnvironmentVariable& variable : kEnvironment) {
    text += fmt::format("| {} | {} |\n", markdown_code(variable.name), markdown(variable.meaning));
  }
  return text;
}

}  // namespace

std::vector<ReferencePage> markdown_reference(const CommandPage& tool) {
  std::vector<ReferencePage> pages = {{"README.md", markdown_front_page(tool)}};
  for (const CommandPage& command : tool.subs) {
    pages.push_back({command.name() + ".md", markdown_page(command)});
  }
  return pages;
}

}  // namespace dpfermi::cli
