#include "print/completion_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace dpfermi::cli {
namespace {

/// Every option that a command understands: its own, then those of the commands around it.
using Visit =
    std::function<void(const CommandPage& command, const std::vector<OptionEntry>& options)>;

bool has_option(const std::vector<OptionEntry>& options, const OptionEntry& wanted) {
  return std::ranges::any_of(
      options, [&](const OptionEntry& option) { return option.names == wanted.names; });
}

void visit_commands(const CommandPage& command, const std::vector<OptionEntry>& outer,
                    const Visit& visit) {
  std::vector<OptionEntry> options;
  for (const OptionGroup& group : command.groups) {
    options.insert(options.end(), group.options.begin(), group.options.end());
  }
  for (const OptionEntry& option : outer) {
    if (!has_option(options, option)) options.push_back(option);
  }
  visit(command, options);
  for (const CommandPage& sub : command.subs) visit_commands(sub, options, visit);
}

std::vector<std::string> long_names(const OptionEntry& option) {
  std::vector<std::string> names = option.names;
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("--"); });
  return names;
}

/// In single quotes of bash and zsh.
std::string quoted_for_bash(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

/// In single quotes of fish.
std::string quoted_for_fish(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// One case of bash: the words that may follow a command.
std::string bash_case(const CommandPage& command, const std::vector<OptionEntry>& options) {
  std::string words;
  for (const CommandPage& sub : command.subs) words += sub.name() + " ";
  for (const OptionEntry& option : options) {
    for (const std::string& name : long_names(option)) words += name + " ";
  }
  return fmt::format("    '{}') words='{}' ;;\n", command.command, words);
}

/// One case of zsh: the same with a description of each.
std::string zsh_case(const CommandPage& command, const std::vector<OptionEntry>& options) {
  std::string text = fmt::format("    '{}')\n      verbs=(\n", command.command);
  for (const CommandPage& sub : command.subs) {
    text += "        " + quoted_for_bash(sub.name() + ":" + sub.summary) + "\n";
  }
  text += "      )\n      flags=(\n";
  for (const OptionEntry& option : options) {
    for (const std::string& name : long_names(option)) {
      text += "        " + quoted_for_bash(name + ":" + option.meaning) + "\n";
    }
  }
  return text + "      ) ;;\n";
}

/// The lines of fish that complete one command.
std::string fish_lines(const CommandPage& command, const std::vector<OptionEntry>& options) {
  const std::string start =
      fmt::format("complete -c dpfermi -n \"__dpfermi_at '{}'\"", command.command);
  std::string text;
  for (const CommandPage& sub : command.subs) {
    text += fmt::format("{} -f -a {} -d {}\n", start, sub.name(), quoted_for_fish(sub.summary));
  }
  for (const OptionEntry& option : options) {
    text += start;
    for (const std::string& name : long_names(option)) text += " -l " + name.substr(2);
    text += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r",
                        quoted_for_fish(option.meaning));
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandPage& tool) {
  std::string cases;
  visit_commands(tool, {},
                 [&](const CommandPage& command, const std::vector<OptionEntry>& options) {
                   cases += bash_case(command, options);
                 });
  return fmt::format(
      R"SCRIPT(# bash completion for dpfermi; load with: source <(dpfermi completion bash)
_dpfermi_words() {{
  local words=''
  case "$1" in
{}  esac
  printf '%s' "$words"
}}
_dpfermi() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" command=dpfermi i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ -n $(_dpfermi_words "$command ${{COMP_WORDS[i]}}") ]] && command+=" ${{COMP_WORDS[i]}}"
  done
  COMPREPLY=($(compgen -W "$(_dpfermi_words "$command")" -- "$current"))
}}
complete -o default -F _dpfermi dpfermi
)SCRIPT",
      cases);
}

std::string zsh_completion(const CommandPage& tool) {
  std::string cases;
  visit_commands(tool, {},
                 [&](const CommandPage& command, const std::vector<OptionEntry>& options) {
                   cases += zsh_case(command, options);
                 });
  return fmt::format(R"SCRIPT(#compdef dpfermi
# zsh completion for dpfermi; load with: source <(dpfermi completion zsh)
_dpfermi_at() {{
  case $1 in
{}    *) return 1 ;;
  esac
}}
_dpfermi() {{
  local -a verbs flags
  local command=dpfermi word
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    _dpfermi_at "$command $word" && command+=" $word"
  done
  _dpfermi_at "$command"
  if [[ $PREFIX == -* ]]; then
    _describe -o option flags
  elif (( $#verbs )); then
    _describe command verbs
  else
    _files
  fi
}}
# Loaded from a folder of completions it is called at once; sourced, it registers itself.
if [[ $funcstack[1] == _dpfermi ]]; then
  _dpfermi "$@"
else
  compdef _dpfermi dpfermi
fi
)SCRIPT",
                     cases);
}

std::string fish_completion(const CommandPage& tool) {
  std::string commands;
  std::string lines;
  visit_commands(tool, {},
                 [&](const CommandPage& command, const std::vector<OptionEntry>& options) {
                   commands += fmt::format(" '{}'", command.command);
                   lines += fish_lines(command, options);
                 });
  return fmt::format(
      R"SCRIPT(# fish completion for dpfermi; load with: dpfermi completion fish | source
function __dpfermi_at
    set -l command dpfermi
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        contains -- "$command $word"{}
        and set command "$command $word"
    end
    test "$command" = "$argv[1]"
end
{})SCRIPT",
      commands, lines);
}

}  // namespace dpfermi::cli
