#pragma once

/// The commands of the tool as data, read off the option tree: what reference, man pages and shell
/// completions are made of.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dpfermi::cli {

struct OptionEntry {
  std::vector<std::string> names;    ///< "-h", "--help"; of an argument its name
  std::string value;                 ///< "TEXT"; empty for a flag
  std::vector<std::string> choices;  ///< the values it takes, where they are listed
  std::string usual;                 ///< its default, where the tree knows one
  bool required = false;
  bool repeated = false;  ///< takes several values
  std::string meaning;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionEntry> options;
};

/// One command, in the words of its help.
struct CommandPage {
  std::string command;  ///< "dpfermi ledger init"
  std::string summary;
  std::vector<OptionEntry> arguments;
  std::vector<OptionGroup> groups;
  std::string examples;           ///< one command per line; may be empty
  std::vector<CommandPage> subs;  ///< its own commands

  /// "init" of "dpfermi ledger init".
  std::string name() const;

  /// "dpfermi verify [OPTIONS] FILE"
  std::string usage() const;
};

/// The page of `app` and, below it, those of its commands.
CommandPage page_of(const CLI::App& app);

}  // namespace dpfermi::cli
