#pragma once

/// What every verb of the tool shares: the parsed global flags, the action to run, and the rule
/// that results go to stdout and everything else to stderr.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/team.h"
#include "dpfermi/core/result.h"

namespace dpfermi::cli {

struct Context {
  bool json = false;    ///< results as JSON
  bool quiet = false;   ///< no notes and no progress on stderr
  std::string command;  ///< the command line, ready to be pasted, without addresses of servers
  Team* team = &Team::alone();  ///< the processes that run the command together
  std::function<Status()> action;

  /// A line for the person at the terminal, on stderr, unless --quiet. Fields become flags.
  void note(std::string_view line) const;

  /// A piece of the result, on stdout.
  static void print(std::string_view text);
};

/// One word of a shell, in quotes where it needs them.
std::string shell_word(const std::string& text);

/// Adds the sub-command `name` to `parent`: description, examples for --help, and `action`, which
/// runs once the whole command line has been parsed.
CLI::App* add_verb(CLI::App& parent, Context& context, const std::string& name,
                   const std::string& description, const std::string& examples,
                   std::function<Status()> action);

/// The same for an action that reads `Flags`: those of the verb, to be filled in by its options.
template <class Flags>
std::pair<CLI::App*, std::shared_ptr<Flags>> add_verb(
    CLI::App& parent, Context& context, const std::string& name, const std::string& description,
    const std::string& examples, Status (*action)(const Context&, const Flags&)) {
  const auto flags = std::make_shared<Flags>();
  return {add_verb(parent, context, name, description, examples,
                   [&context, flags, action] { return action(context, *flags); }),
          flags};
}

/// For options that count: CLI11 reads "-1" as a huge number.
CLI::Validator whole_number();

/// A whole number from 1 to `most`.
CLI::Validator whole_from_one(std::uint64_t most);

// One function per verb, each in the file of its name.
void add_train(CLI::App& app, Context& context);
void add_sketch(CLI::App& app, Context& context);
void add_pack(CLI::App& app, Context& context);
void add_repair(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_evaluate(CLI::App& app, Context& context);
void add_inspect(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);
void add_dossier(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_account(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_datasets(CLI::App& app, Context& context);
void add_methods(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_reference(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_reproduce(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_summary(CLI::App& app, Context& context);
void add_ledger(CLI::App& app, Context& context);

}  // namespace dpfermi::cli
