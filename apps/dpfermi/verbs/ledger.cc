// dpfermi ledger: budgets, what has been spent from them, and whether the file can be trusted.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "artifact/signature.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "print/budget_report.h"
#include "privacy/ledger/budget_json.h"
#include "privacy/ledger/signing_key.h"
#include "privacy/plan_state.h"
#include "report/budget_page.h"
#include "workflow/output_file.h"
#include "workflow/verification.h"

namespace dpfermi::cli {
namespace {

struct LedgerFlags {
  std::optional<std::string> file;
  std::string name;
  std::string epsilon;
  std::string delta;
  std::string adjacency;
  std::string fingerprint;
  std::string head;
  std::string model;
  std::string composition = "sums";
  std::string order;
  std::string html;
  std::vector<std::string> files;
  bool show_key = false;
};

Result<std::vector<BudgetState>> select_budgets(const LedgerFile& file, const std::string& name) {
  DPFERMI_ASSIGN(std::vector<BudgetState> budgets, file.budgets());
  if (name.empty()) return budgets;
  std::vector<std::string> names;
  for (const BudgetState& budget : budgets) {
    if (budget.name == name) return std::vector{budget};
    names.push_back(budget.name);
  }
  const std::optional<std::string> nearest = nearest_name(name, names);
  return usage_error(fmt::format(
      "there is no budget '{}'; {}", printable(name),
      nearest ? fmt::format("did you mean '{}'?", *nearest) : "see 'dpfermi ledger show'"));
}

Status init(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  BudgetKey key = {.name = flags.name, .fingerprint = flags.fingerprint};
  DPFERMI_ASSIGN(key.adjacency, parse_adjacency(flags.adjacency));
  BudgetCap cap;
  DPFERMI_ASSIGN(cap.epsilon, Amount::parse(flags.epsilon, Rounding::kDown));
  DPFERMI_ASSIGN(cap.delta, Amount::parse(flags.delta, Rounding::kDown));
  std::optional<Amount> order;
  if (!flags.order.empty()) {
    DPFERMI_ASSIGN(order, Amount::parse(flags.order, Rounding::kUp));
  }
  if (flags.composition == "renyi") {
    DPFERMI_ASSIGN(cap, with_renyi_filter(cap, order));
  } else if (order) {
    return usage_error("--order belongs to --composition renyi; leave it out");
  }
  DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open_or_create(path));
  DPFERMI_TRY(file.init_budget(key, cap));
  context.note(fmt::format("ledger {}", path.string()));
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, select_budgets(file, flags.name));
  Context::print(context.json ? json_of(budgets.front()).dump(2) + "\n"
                              : describe_budget(budgets.front()));
  return {};
}

Status show(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, select_budgets(file, flags.name));
  if (!flags.html.empty()) {
    const std::vector<std::string> inputs{path.string()};
    DPFERMI_TRY(check_writable(flags.html, "html", inputs));
    DPFERMI_ASSIGN(const std::string page, ledger_page(file, budgets));
    DPFERMI_TRY(write_file_atomically(flags.html, page));
  }
  Json json = {{"ledger", path.string()}, {"budgets", Json::array()}};
  context.note(fmt::format("ledger {}", path.string()));
  for (const BudgetState& budget : budgets) {
    json["budgets"].push_back(json_of(budget));
    if (!context.json) Context::print(describe_budget(budget));
  }
  if (!flags.name.empty()) {
    DPFERMI_ASSIGN(const std::vector<Json> entries, ledger_entries(file));
    const std::vector<Json> charges = charges_of(entries, flags.name);
    json["charges"] = charges;
    for (const Json& charge : charges) {
      DPFERMI_ASSIGN(const std::string text, describe_charge(charge));
      if (!context.json) Context::print(text);
    }
  }
  if (context.json) Context::print(json.dump(2) + "\n");
  return {};
}

/// Opening a ledger checks all of it; what remains is to say so.
Status verify(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  std::optional<LedgerHead> seen;
  if (!flags.head.empty()) {
    const auto head = parse_head(flags.head);
    if (!head) return usage_error("--head: " + head.error().message);
    seen = *head;
  }
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  if (seen) DPFERMI_TRY(file.check_contains(*seen));
  std::vector<RunState> runs;
  if (!flags.model.empty()) {
    DPFERMI_ASSIGN(const PrivacyStatement statement, read_statement(flags.model));
    DPFERMI_ASSIGN(runs, recorded_runs(file, flags.model, statement));
  }
  DPFERMI_ASSIGN(const LedgerHead head, file.head());
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, file.budgets());
  if (context.json) {
    Json json = {{"ledger", path.string()},
                 {"ok", true},
                 {"entries", head.sequence},
                 {"budgets", budgets.size()},
                 {"head", to_string(head)}};
    if (!runs.empty()) {
      const RunState& run = runs.front();
      json["model"] = {{"run", run.id}, {"budget", run.budget}, {"known", true}};
    }
    Context::print(json.dump(2) + "\n");
  } else {
    Context::print(fmt::format("{}: intact, {}, {}, head {}\n", path.string(),
                               counted(head.sequence, "entry"), counted(budgets.size(), "budget"),
                               to_string(head)));
    for (const RunState& run : runs) {
      Context::print(
          fmt::format("{}: run {} of budget '{}', charged here for what the file lists\n",
                      printable(flags.model), run.id, printable(run.budget)));
    }
  }
  return {};
}

Status export_entries(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  // Collected first: a reader that waits for a slow pipe would keep every run from charging.
  std::vector<LedgerEntry> entries;
  DPFERMI_TRY(file.for_each_entry([&](const LedgerEntry& entry) -> Status {
    entries.push_back(entry);
    return {};
  }));
  const char* separator = context.json ? "[\n" : "";
  for (const LedgerEntry& entry : entries) {
    // The body stays a string: its bytes are what the hash covers.
    const Json json = {{"sequence", entry.sequence}, {"body", entry.body}, {"hash", entry.hash}};
    Context::print(separator + json.dump());
    separator = context.json ? ",\n" : "\n";
  }
  Context::print(context.json ? "\n]\n" : "\n");
  return {};
}

/// The key belongs to the ledger: there must be one.
Status make_key(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  DPFERMI_TRY(LedgerFile::open(path));
  DPFERMI_ASSIGN(const std::string key, flags.show_key ? ledger::public_signing_key(path)
                                                       : ledger::make_signing_key(path));
  if (!flags.show_key) {
    context.note(fmt::format("{} holds the secret half; back it up and do not share it",
                             ledger::signing_key_path(path).string()));
  }
  Context::print(context.json ? Json({{"public_key", key}}).dump(2) + "\n" : key + "\n");
  return {};
}

Status sign_files(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  Json json = Json::array();
  for (const std::string& file : flags.files) {
    DPFERMI_ASSIGN(const std::string key, sign_file(file, path));
    json.push_back({{"file", printable(file, SIZE_MAX)}, {"public_key", key}});
    if (!context.json) Context::print(fmt::format("{}.sig\n", printable(file, SIZE_MAX)));
  }
  if (context.json) Context::print(json.dump(2) + "\n");
  return {};
}

void add_signing(CLI::App& parent, Context& context, const std::shared_ptr<LedgerFlags>& flags) {
  CLI::App* key =
      add_verb(parent, context, "key",
               "Make a key that signs what the ledger's runs write; print its public half",
               "  dpfermi ledger key > sender.pub\n  dpfermi ledger key --show",
               [&context, flags] { return make_key(context, *flags); });
  key->add_flag("--show", flags->show_key, "Print the public half of the key that is there");
  CLI::App* sign = add_verb(parent, context, "sign", "Sign files: writes FILE.sig beside each",
                            "  dpfermi ledger sign people.model people.onnx",
                            [&context, flags] { return sign_files(context, *flags); });
  sign->add_option("files", flags->files, "The files")->required()->type_name("FILE");
}

void add_init(CLI::App& parent, Context& context, const std::shared_ptr<LedgerFlags>& flags) {
  CLI::App* verb = add_verb(
      parent, context, "init", "Set a budget: what may ever be spent on some data",
      "  dpfermi ledger init adult --epsilon 1 --delta 1e-6 --adjacency sensitive\n"
      "  dpfermi ledger init patients --epsilon 3 --delta 1e-8 --adjacency replace-record\n"
      "  dpfermi ledger init census --epsilon 3 --delta 1e-9 --adjacency sensitive "
      "--composition renyi",
      [&context, flags] { return init(context, *flags); });
  verb->add_option("name", flags->name, "Name of the budget")->required();
  verb->add_option("--epsilon", flags->epsilon, "The most epsilon, summed over every run")
      ->required();
  verb->add_option("--delta", flags->delta, "The most delta, summed over every run")->required();
  verb->add_option("--adjacency", flags->adjacency,
                   "sensitive, replace-record or add-remove-record")
      ->required();
  verb->add_option("--composition", flags->composition,
                   "How charges add up: sums of epsilon and delta, or renyi, a filter that holds "
                   "many small runs")
      ->check(CLI::IsMember({"sums", "renyi"}))
      ->capture_default_str();
  verb->add_option("--order", flags->order,
                   "Of the filter; by default the order that holds most Gaussian releases");
  verb->add_option("--fingerprint", flags->fingerprint,
                   "Of the data it belongs to; by default those of its first run");
}

}  // namespace

void add_ledger(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<LedgerFlags>();
  CLI::App* ledger =
      add_verb(app, context, "ledger", "Budgets, and what has been spent from them",
               "  dpfermi ledger init adult --epsilon 1 --delta 1e-6 --adjacency sensitive\n"
               "  dpfermi ledger show\n"
               "  dpfermi ledger verify --ledger /srv/audit/ledger.db",
               {});
  ledger->require_subcommand(1);
  ledger->add_option("--ledger", flags->file,
                     "The ledger file; by default $DPFERMI_LEDGER, else "
                     "${XDG_STATE_HOME:-~/.local/state}/dpfermi/ledger.db");
  add_init(*ledger, context, flags);
  add_signing(*ledger, context, flags);

  CLI::App* show_verb = add_verb(*ledger, context, "show", "What was spent and what is left",
                                 "  dpfermi ledger show\n  dpfermi ledger show adult --json\n"
                                 "  dpfermi ledger show --html ledger.html",
                                 [&context, flags] { return show(context, *flags); });
  show_verb->add_option("name", flags->name, "One budget, with its charges");
  show_verb
      ->add_option("--html", flags->html,
                   "Also write a page: spending over time as a chart, and every charge")
      ->type_name("FILE");

  CLI::App* verify_verb = add_verb(
      *ledger, context, "verify", "Check the file, its chain of hashes, every sum and every rule",
      "  dpfermi ledger verify\n  dpfermi ledger verify --model people.model\n"
      "  dpfermi ledger verify --head 17:9f86d081884c7d65...",
      [&context, flags] { return verify(context, *flags); });
  verify_verb->add_option("--model", flags->model,
                          "A model or sketch file, whose run and ledger head must still be there");
  verify_verb->add_option("--head", flags->head,
                          "NUMBER:HASH of an entry seen earlier, which must still be there");

  add_verb(*ledger, context, "export", "Print every entry: JSON lines, or one array with --json",
           "  dpfermi ledger export > ledger.jsonl\n  dpfermi ledger export --json",
           [&context, flags] { return export_entries(context, *flags); });
}

}  // namespace dpfermi::cli
