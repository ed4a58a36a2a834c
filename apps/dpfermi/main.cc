// dpfermi: one executable, one verb per file. Exit codes: 0 ok, 1 failed, 2 usage, 3 budget
// refused.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string_view>

#include "cli.h"
#include "core/processes.h"
#include "core/text.h"
#include "data/table_source.h"
#include "dpfermi/core/version.h"
#include "flags/field_names.h"

namespace dpfermi::cli {
namespace {

constexpr int kFailed = static_cast<int>(ErrorKind::kFailed);

void add_all_verbs(CLI::App& app, Context& context) {
  add_train(app, context);
  add_sketch(app, context);
  add_pack(app, context);
  add_repair(app, context);
  add_predict(app, context);
  add_evaluate(app, context);
  add_inspect(app, context);
  add_export(app, context);
  add_verify(app, context);
  add_dossier(app, context);
  add_sweep(app, context);
  add_reproduce(app, context);
  add_report(app, context);
  add_summary(app, context);
  add_audit(app, context);
  add_account(app, context);
  add_calibrate(app, context);
  add_ledger(app, context);
  add_datasets(app, context);
  add_methods(app, context);
  add_demo(app, context);
  add_completion(app, context);
  add_reference(app, context);
}

/// The innermost verb that was named, and the words that lead to it.
const CLI::App& innermost(const CLI::App& app, std::string& path) {
  path += (path.empty() ? "" : " ") + app.get_name();
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front(), path);
}

/// Words that stand for nothing: the likely one instead, if there is one.
std::string explain_extras(const CLI::App& app, const CLI::App& verb) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto flag =
      std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with("--"); });
  const std::string word = flag != extras.end() ? *flag : extras.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const CLI::App* sub : verb.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(sub->get_name());
  }
  const auto guess = nearest_name(word, known);
  const bool stray = !guess && !word.starts_with("--") && word.find('=') != std::string::npos;
  return fmt::format("'{}' is not understood{}", printable(word),
                     guess   ? fmt::format(" (did you mean '{}'?)", *guess)
                     : stray ? " (a flag takes one value: repeat the flag before it)"
                             : "");
}

/// "Could not convert: --epsilon = abc" in the words of the other messages.
std::string explain_error(const std::string& text) {
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (!text.starts_with(kConversion) || equals == std::string::npos) return text;
  return fmt::format("{} takes a number, not '{}'",
                     text.substr(kConversion.size(), equals - kConversion.size()),
                     printable(text.substr(equals + 3)));
}

Error explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string path;
  const CLI::App& verb = innermost(app, path);
  const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                      (!app.remaining(true).empty() && verb.get_subcommands().empty());
  return {ErrorKind::kUsage,
          fmt::format("{}; see '{} --help'",
                      extras ? explain_extras(app, verb) : explain_error(error.what()), path)};
}

int finish(const Status& status) {
  if (!status) {
    fmt::print(stderr, "dpfermi: {}\n", printable(with_flags(status.error().message), SIZE_MAX));
    return static_cast<int>(status.error().kind);
  }
  // A full disk or a closed pipe shows up only here; a cut result must not look like a whole one.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "dpfermi: cannot write the result to standard output\n");
    return kFailed;
  }
  return 0;
}

/// Results keep the command that made them, but no server's address or query.
std::string without_address(const std::string& argument) {
  const std::size_t value = argument.starts_with("--") ? argument.find('=') + 1 : 0;
  if (!is_server_address(argument.substr(value))) return argument;
  return argument.substr(0, value) + table_title(argument.substr(value));
}

/// Refuses what several processes cannot do together.
Status check_shared(const CLI::App& app, int argc, char** argv) {
  constexpr std::array kShared = {"dpfermi train", "dpfermi sketch", "dpfermi evaluate",
                                  "dpfermi sweep"};
  std::string verb;
  innermost(app, verb);
  if (std::ranges::find(kShared, verb) == kShared.end()) {
    return usage_error(fmt::format("'{}' is for one process; leave out mpirun", verb));
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-" || word.ends_with("=-")) {
      return usage_error("every process reads the table; save it to a file first");
    }
  }
  return {};
}

Status act(const Context& context) {
  try {
    return context.action();
  } catch (const std::bad_alloc&) {
    return failed("out of memory; use fewer columns or a larger machine");
  } catch (const std::exception& error) {
    return failed(fmt::format("internal error: {}", error.what()));
  }
}

/// Understands the command and runs it.
Status run_command(CLI::App& app, Context& context, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return tl::unexpected(explain_parse_error(app, error));
    app.exit(error);  // --help, --version
    return {};
  }
  if (context.team->size() > 1) DPFERMI_TRY(check_shared(app, argc, argv));
  return act(context);
}

/// Followers have nothing to say: what they fail at, the leader prints.
Status fall_silent() {
  for (std::FILE* const stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) {
      return failed("/dev/null cannot be opened; run where it can");
    }
  }
  return {};
}

/// The processes that were started with this one, or null where it was started alone.
Result<std::unique_ptr<JoinedTeam>> join() {
  const std::optional<Launch> launch = find_launch();
  if (!launch) return nullptr;
  DPFERMI_ASSIGN(auto team, join_processes(*launch));
  if (!team->leads()) DPFERMI_TRY(fall_silent());
  return team;
}

int run(int argc, char** argv) {
  const auto team = join();
  if (!team) return finish(tl::unexpected(team.error()));
  Context context;
  if (*team != nullptr) context.team = team->get();
  context.command = "dpfermi";
  for (int i = 1; i < argc; ++i) context.command += " " + shell_word(without_address(argv[i]));
  CLI::App app("Classifiers that are accurate, fair and differentially private at once.",
               "dpfermi");
  app.set_version_flag("--version", fmt::format("dpfermi {}", version()), "Print the version");
  app.add_flag("--json", context.json, "Print the result as JSON");
  app.add_flag("--quiet", context.quiet, "No notes and no progress on stderr");
  app.require_subcommand(1);
  add_all_verbs(app, context);
  const Status own = run_command(app, context, argc, argv);
  if (*team == nullptr) return finish(own);
  // Whatever ended it here, the others are told.
  const Status all = (*team)->leave(own);
  return finish(own ? all : own);
}

}  // namespace
}  // namespace dpfermi::cli

int main(int argc, char** argv) {
  try {
    return dpfermi::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dpfermi: internal error: %s\n", error.what());
  }
  return 1;
}
