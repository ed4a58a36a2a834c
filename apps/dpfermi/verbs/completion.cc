// dpfermi completion: scripts that complete commands and options in a shell.

#include <fmt/format.h>

#include "cli.h"
#include "print/completion_scripts.h"

namespace dpfermi::cli {
namespace {

struct Shell {
  const char* name;
  const char* example;
  std::string (*script)(const CommandPage& tool);
};

constexpr Shell kShells[] = {
    {"bash", "  source <(dpfermi completion bash)", bash_completion},
    {"zsh", "  source <(dpfermi completion zsh)", zsh_completion},
    {"fish", "  dpfermi completion fish | source", fish_completion},
};

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  std::string examples;
  for (const Shell& shell : kShells) examples += std::string(shell.example) + "\n";
  CLI::App* completion = add_verb(app, context, "completion", "Print a shell completion script",
                                  examples.substr(0, examples.size() - 1), {});
  completion->require_subcommand(1);
  for (const Shell& shell : kShells) {
    add_verb(*completion, context, shell.name, fmt::format("The script for {}", shell.name),
             shell.example, [&app, &shell]() -> Status {
               Context::print(shell.script(page_of(app)));
               return {};
             });
  }
}

}  // namespace dpfermi::cli
