#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "print/reference_facts.h"
#include "print/reference_pages.h"

namespace dpfermi::cli {
namespace {

/// Text that roff shows as it is: no escapes, no requests, hyphens that can be pasted.
std::string roff(std::string_view text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

/// "dpfermi-ledger": the commands of a command share its page.
std::string man_name(const CommandPage& command) {
  std::string name = command.command;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string roff_synopsis(const CommandPage& command) {
  return fmt::format(".nf\n{}\n.fi\n", roff(command.usage()));
}

std::string roff_entry(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n{}\n{}\n", term, meaning);
}

std::string roff_meaning(const OptionEntry& option) {
  std::string text = roff(option.meaning);
  if (!option.usual.empty()) text += fmt::format(" (default {})", roff(option.usual));
  return option.required ? text + " (required)" : text;
}

std::string roff_term(const OptionEntry& option) {
  std::string text = fmt::format("\\fB{}\\fR", fmt::join(option.names, "\\fR, \\fB"));
  std::string plain;
  for (const char c : text) plain += c == '-' ? "\\-" : std::string(1, c);
  const std::string value =
      option.choices.empty() ? option.value : fmt::format("{}", fmt::join(option.choices, "|"));
  if (value.empty()) return plain;
  return fmt::format("{} \\fI{}\\fR{}", plain, roff(value), option.repeated ? "..." : "");
}

std::string roff_arguments(const CommandPage& command) {
  std::string text;
  for (const OptionEntry& argument : command.arguments) {
    text +=
        roff_entry(fmt::format("\\fI{}\\fR", roff(argument.names.front())), roff_meaning(argument));
  }
  return text;
}

/// Arguments and options under headings of their groups.
std::string roff_options(const CommandPage& command) {
  std::string text;
  for (const OptionGroup& group : command.groups) {
    text += fmt::format(".SS {}\n", roff(group.title));
    for (const OptionEntry& option : group.options)
      text += roff_entry(roff_term(option), roff_meaning(option));
  }
  return text;
}

std::string roff_examples(const CommandPage& command) {
  if (command.examples.empty()) return "";
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(command.examples));
}

std::string roff_header(const std::string& name, std::string_view version,
                        const std::string& summary) {
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"dpfermi {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     roff(title), version, roff(name), roff(summary));
}

/// A command of a command: its synopsis, what it does, its options, without those of all.
std::string roff_section(const CommandPage& sub) {
  std::string text = fmt::format(".SS {}\n{}{}.\n", roff(sub.command), roff_synopsis(sub),
                                 ".PP\n" + roff(sub.summary));
  text += roff_arguments(sub);
  for (const OptionGroup& group : sub.groups) {
    for (const OptionEntry& option : group.options) {
      if (option.names.back() != "--help")
        text += roff_entry(roff_term(option), roff_meaning(option));
    }
  }
  return text;
}

std::string roff_page(const CommandPage& command, std::string_view version) {
  std::string text = roff_header(man_name(command), version, command.summary);
  text += ".SH SYNOPSIS\n" + roff_synopsis(command);
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n" + roff_arguments(command);
  text += ".SH OPTIONS\n" + roff_options(command);
  if (!command.subs.empty()) text += ".SH COMMANDS\n";
  for (const CommandPage& sub : command.subs) text += roff_section(sub);
  text += roff_examples(command);
  return text +
         ".SH SEE ALSO\n.BR dpfermi (1)\nfor options of every command, exit codes and "
         "environment\n";
}

std::string roff_front_page(const CommandPage& tool, std::string_view version) {
  std::string text = roff_header(man_name(tool), version, "accurate, fair and private classifiers");
  text += ".SH SYNOPSIS\n" + roff_synopsis(tool) + ".SH DESCRIPTION\n" + roff(tool.summary) +
          "\n.SH COMMANDS\n";
  for (const CommandPage& command : tool.subs) {
    text +=
        roff_entry(fmt::format("\\fB{}\\fR(1)", roff(man_name(command))), roff(command.summary));
  }
  text += ".SH OPTIONS\n" + roff_options(tool) + ".SH EXIT STATUS\n";
  for (const ExitCode& exit : kExitCodes) {
    text += roff_entry(fmt::format("\\fB{}\\fR", exit.value), roff(exit.meaning));
  }
  text += ".SH ENVIRONMENT\n";
  for (const EnvironmentVariable& variable : kEnvironment) {
    text += roff_entry(fmt::format("\\fB{}\\fR", variable.name), roff(variable.meaning));
  }
  return text;
}

}  // namespace

std::vector<ReferencePage> man_reference(const CommandPage& tool, std::string_view version) {
  std::vector<ReferencePage> pages = {{"dpfermi.1", roff_front_page(tool, version)}};
  for (const CommandPage& command : tool.subs) {
    pages.push_back({man_name(command) + ".1", roff_page(command, version)});
  }
  return pages;
}

}  // namespace dpfermi::cli
