// dpfermi inspect: the card of a model, what its inputs do, and which of them matter on a table.

#include <fmt/format.h>

#include <filesystem>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "artifact/sketch_file.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "data/checksum.h"
#include "flags/table_options.h"
#include "print/effects_report.h"
#include "report/card_page.h"
#include "report/check_part.h"
#include "terminal_observer.h"
#include "workflow/evaluation_data.h"
#include "workflow/importance.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {
namespace {

constexpr std::size_t kMostEffects = 10;
constexpr std::uint64_t kShuffles = 5;
constexpr std::uint64_t kShuffleSeed = 1;

struct InspectFlags {
  std::string path;
  TableOptions table;
  bool held_out = false;
  std::optional<std::uint64_t> shuffles;
  bool exact = false;
  bool digest = false;
  bool effects = false;
  std::string html;
};

std::string whole_card(const TrainedModel& model) {
  return describe_card(model) + effects_text(model, kMostEffects);
}

std::string whole_card(const StoredSketch& stored) {
  return describe_card(stored);
}

/// The card, or for machines the header.
template <class Artifact>
Status print_card(const Context& context, const Artifact& artifact) {
  if (!context.json) {
    Context::print(whole_card(artifact));
    return {};
  }
  DPFERMI_ASSIGN(const std::string header, header_to_json(artifact));
  Context::print(header + "\n");
  return {};
}

/// The card as a page.
template <class Artifact>
Status write_page(const Context& context, const InspectFlags& flags, const Artifact& artifact,
                  const PrivacyStatement& statement) {
  const std::vector<std::string> inputs{flags.path};
  DPFERMI_TRY(check_writable(flags.html, "html", inputs));
  DPFERMI_ASSIGN(const std::string digest, sha256_of_file(flags.path));
  const std::string name = std::filesystem::path(flags.path).filename().string();
  DPFERMI_ASSIGN(const std::string page,
                 card_page({whole_card(artifact), statement, printable(name), digest}));
  DPFERMI_TRY(write_file_atomically(flags.html, page));
  context.note(fmt::format("card {}", printable(flags.html, SIZE_MAX)));
  if (!has_check_module()) {
    context.note("this build has no accountant for browsers: the page checks nothing");
  }
  return {};
}

Status print_digest(const Context& context, const TrainedModel& model) {
  DPFERMI_ASSIGN(const std::string digest, model_digest(model));
  Context::print(context.json ? fmt::format("{{\"digest\": \"{}\"}}\n", digest) : digest + "\n");
  return {};
}

Status print_model(const Context& context, const InspectFlags& flags, const TrainedModel& model) {
  if (flags.digest) return print_digest(context, model);
  if (flags.effects) {
    Context::print(context.json ? effects_json(model) : effects_text(model, SIZE_MAX).substr(1));
    return {};
  }
  if (!flags.html.empty()) return write_page(context, flags, model, model.privacy);
  return print_card(context, model);
}

Status print_importance(const Context& context, const InspectFlags& flags) {
  DPFERMI_ASSIGN(const TrainedModel model, read_model_first(flags.path, flags.table.file()));
  const bool exact = !features_are_public(model.schema.adjacency);
  if (exact && !flags.exact) {
    return usage_error(fmt::format(
        "under adjacency {} the rows are protected, and what matters on them is an exact figure; "
        "--exact prints it for the holder of the data",
        to_string(model.schema.adjacency)));
  }
  EvaluationChoice choice;
  DPFERMI_ASSIGN(choice.table, flags.table.resolve_file());
  choice.held_out = flags.held_out;
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const EvaluationData data, read_evaluation_data(observer, model, choice));
  DPFERMI_ASSIGN(const Importance importance,
                 permutation_importance(model, data.rows.data, flags.shuffles.value_or(kShuffles),
                                        kShuffleSeed));
  Context::print(context.json ? importance_json(importance, exact)
                              : importance_text(importance, exact));
  return {};
}

/// Refuses flags that would be ignored.
Status check_flags(const InspectFlags& flags) {
  const int asked = (flags.html.empty() ? 0 : 1) + (flags.digest ? 1 : 0) +
                    (flags.effects ? 1 : 0) + (flags.table.given() ? 1 : 0);
  if (asked > 1) {
    return usage_error(
        "--html, --digest, --effects and a table each ask for one thing; leave out the others");
  }
  if (!flags.table.given() && (flags.held_out || flags.shuffles || flags.exact)) {
    return usage_error("--held-out, --shuffles and --exact are about a table; name one");
  }
  return {};
}

Status inspect(const Context& context, const InspectFlags& flags) {
  DPFERMI_TRY(check_flags(flags));
  if (flags.table.given()) return print_importance(context, flags);
  if (!flags.digest && !flags.effects && looks_like_sketch(flags.path)) {
    DPFERMI_ASSIGN(const StoredSketch stored, read_sketch(flags.path));
    if (!flags.html.empty()) return write_page(context, flags, stored, stored.sketch.statement);
    return print_card(context, stored);
  }
  DPFERMI_ASSIGN(const TrainedModel model, read_model(flags.path));
  return print_model(context, flags, model);
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<InspectFlags>(
      app, context, "inspect",
      "Print the card of a model or a sketch: what it is, what it promises and what it "
      "does; with a "
      "table, which columns matter on it",
      "  dpfermi inspect people.model\n  dpfermi inspect people.model --json\n"
      "  dpfermi inspect people.model --effects --json\n"
      "  dpfermi inspect people.model people.csv --held-out\n"
      "  dpfermi inspect people.model --html people.html\n"
      "  dpfermi inspect --digest people.model",
      inspect);
  verb->add_option("model", flags->path, "The model or sketch file")
      ->required()
      ->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  verb->add_option("--html", flags->html,
                   "Write the card as a page instead, in which the reader's browser recomputes "
                   "epsilon")
      ->type_name("FILE");
  verb->add_flag(
      "--effects", flags->effects,
      "Print only what each input adds to the log-odds of each class, for all inputs; of "
      "boosted trees the gain of each input");
  verb->add_flag("--held-out", flags->held_out,
                 "Of the table, only the rows that training kept for testing");
  verb->add_option("--shuffles", flags->shuffles, "How often each column is shuffled (default 5)")
      ->check(whole_from_one(1000));
  verb->add_flag("--exact", flags->exact,
                 "Where rows are protected: print the figures, which are not private");
  verb->add_flag("--digest", flags->digest,
                 "Print only a SHA-256 of what the model computes and promises; the same model has "
                 "the same digest whenever and by whichever version it was trained");
}

}  // namespace dpfermi::cli
