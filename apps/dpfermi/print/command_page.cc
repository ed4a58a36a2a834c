#include "print/command_page.h"

#include <algorithm>
#include <cctype>

#include "core/text.h"

namespace dpfermi::cli {
namespace {

/// "TEXT:{sums,renyi}" lists the values after a colon.
void split_type(const std::string& type, OptionEntry& entry) {
  const std::size_t list = type.find(":{");
  entry.value = type.substr(0, list);
  if (list == std::string::npos) return;
  entry.choices = split_list(type.substr(list + 2, type.size() - list - 3));
}

/// An argument goes by what it is: FILE or MODEL, else by its name in capitals.
std::string argument_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type != "TEXT") return type;
  std::string name = option.get_name(true);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_type_size() != 0) {
    split_type(option.get_type_name(), entry);
    entry.usual = option.get_default_str();
    entry.repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  }
  if (option.get_positional()) entry.names = {argument_name(option)};
  entry.required = option.get_required();
  entry.meaning = option.get_description();
  return entry;
}

/// Help indents its examples by two blanks.
std::string unindented(std::string text) {
  for (std::size_t at = 0; at != std::string::npos; at = text.find('\n', at)) {
    if (at > 0) ++at;
    if (text.compare(at, 2, "  ") == 0) text.erase(at, 2);
  }
  return text;
}

OptionGroup& group_of(CommandPage& page, const std::string& title) {
  const auto found = std::ranges::find(page.groups, title, &OptionGroup::title);
  if (found != page.groups.end()) return *found;
  return page.groups.emplace_back(OptionGroup{title, {}});
}

}  // namespace

std::string CommandPage::name() const {
  return command.substr(command.rfind(' ') + 1);
}

std::string CommandPage::usage() const {
  std::string line = command + " [OPTIONS]";
  for (const OptionEntry& argument : arguments) {
    const std::string word = argument.names.front() + (argument.repeated ? "..." : "");
    line += argument.required ? " " + word : " [" + word + "]";
  }
  return subs.empty() ? line : line + " COMMAND";
}

CommandPage page_of(const CLI::App& app) {
  constexpr std::string_view kExamples = "Examples:\n";
  CommandPage page;
  const CLI::App* parent = app.get_parent();
  page.command = app.get_name();
  for (; parent != nullptr; parent = parent->get_parent()) {
    page.command = parent->get_name() + " " + page.command;
  }
  page.summary = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    const OptionEntry entry = entry_of(*option);
    if (option->get_positional()) {
      page.arguments.push_back(entry);
    } else {
      group_of(page, option->get_group()).options.push_back(entry);
    }
  }
  if (const std::string footer = app.get_footer(); footer.starts_with(kExamples)) {
    page.examples = unindented(footer.substr(kExamples.size()));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    page.subs.push_back(page_of(*sub));
  }
  return page;
}

}  // namespace dpfermi::cli
