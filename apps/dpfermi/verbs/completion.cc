#include <fmt/format.h>

#include <algorithm>

#include "cli.h"

namespace dpfermi::cli {
namespace {

std::string words_of(const CLI::App& app) {
  std::string words;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    words += verb->get_name() + " ";
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  return words;
}

/// One case line per command: "dpfermi datasets" -> its verbs and options.
void append_cases(const CLI::App& app, const std::string& path, std::string& cases) {
  cases += fmt::format("    '{}') words='{}' ;;\n", path, words_of(app));
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    append_cases(*verb, path + " " + verb->get_name(), cases);
  }
}

/// A bash completion script for every verb and option of `app`.
void print_bash_completion(const CLI::App& app) {
  std::string cases;
  append_cases(app, app.get_name(), cases);
  Context::print(
      fmt::format(R"(# bash completion for dpfermi; load with: source <(dpfermi completion bash)
_dpfermi_words() {{
  local words=''
  case "$1" in
{}  esac
  printf '%s' "$words"
}}
_dpfermi() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" path=dpfermi i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ -n $(_dpfermi_words "$path ${{COMP_WORDS[i]}}") ]] && path+=" ${{COMP_WORDS[i]}}"
  done
  COMPREPLY=($(compgen -W "$(_dpfermi_words "$path") --json --quiet --help" -- "$current"))
}}
complete -o default -F _dpfermi dpfermi
)",
                  cases));
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  CLI::App* completion = add_verb(app, context, "completion", "Print a shell completion script",
                                  "  source <(dpfermi completion bash)", {});
  completion->require_subcommand(1);
  add_verb(*completion, context, "bash", "The script for bash",
           "  source <(dpfermi completion bash)", [&app]() -> Status {
             print_bash_completion(app);
             return {};
           });
}

}  // namespace dpfermi::cli
