// dpfermi ledger: budgets, what has been spent from them, and whether the file can be trusted.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli.h"
#include "core/text.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

struct LedgerFlags {
  std::optional<std::string> file;
  std::string name;
  std::string epsilon;
  std::string delta;
  std::string adjacency;
  std::string fingerprint;
  std::string head;
};

/// Infinity has no JSON number.
Json to_json(const Amount& amount, Rounding rounding) {
  return amount.is_infinite() ? Json("inf") : Json(amount.to_double(rounding));
}

Json to_json(const Amount& epsilon, const Amount& delta, Rounding rounding) {
  return {{"epsilon", to_json(epsilon, rounding)}, {"delta", to_json(delta, rounding)}};
}

Json to_json(const BudgetState& budget) {
  Json json = {{"name", budget.name},
               {"adjacency", to_string(budget.adjacency)},
               {"fingerprint", nullptr},
               {"cap", nullptr},
               {"spent", to_json(budget.spent_epsilon, budget.spent_delta, Rounding::kUp)},
               {"left", nullptr},
               {"charges", budget.charges},
               {"open_runs", budget.open_runs}};
  if (!budget.fingerprint.empty()) json["fingerprint"] = budget.fingerprint;
  if (budget.cap) {
    json["cap"] = to_json(budget.cap->epsilon, budget.cap->delta, Rounding::kDown);
    json["left"] = to_json(budget.left_epsilon(), budget.left_delta(), Rounding::kDown);
  }
  return json;
}

std::string text_of(const Amount& amount, Rounding rounding) {
  return shortest(amount.to_double(rounding));
}

std::string describe_budget(const BudgetState& budget) {
  std::string text = fmt::format(
      "{}\n  adjacency   {}\n  data        {}\n  spent       epsilon {}, delta {} in {} charges\n",
      budget.name, to_string(budget.adjacency),
      budget.fingerprint.empty() ? "not tied to any yet" : budget.fingerprint,
      text_of(budget.spent_epsilon, Rounding::kUp), text_of(budget.spent_delta, Rounding::kUp),
      with_thousands(budget.charges));
  if (budget.cap) {
    text += fmt::format("  left        epsilon {}, delta {} of {}, {}\n",
                        text_of(budget.left_epsilon(), Rounding::kDown),
                        text_of(budget.left_delta(), Rounding::kDown),
                        text_of(budget.cap->epsilon, Rounding::kDown),
                        text_of(budget.cap->delta, Rounding::kDown));
  } else {
    text += "  left        not limited: 'dpfermi ledger init' sets a budget\n";
  }
  if (budget.open_runs > 0) {
    text += fmt::format("  open runs   {} (running, or ended early; charged in full)\n",
                        with_thousands(budget.open_runs));
  }
  return text;
}

/// The charges of one budget, one JSON object each.
Result<std::vector<Json>> charges_of(const LedgerFile& file, const std::string& name) {
  std::vector<Json> charges;
  DPFERMI_TRY(file.for_each_entry([&](const LedgerEntry& entry) -> Status {
    Json body = Json::parse(entry.body);
    if (body.at("kind") == "charge" && body.at("budget") == name) {
      body["sequence"] = entry.sequence;
      charges.push_back(std::move(body));
    }
    return {};
  }));
  return charges;
}

Result<std::string> describe_charge(const Json& charge) {
  const auto field = [&](const char* key) { return charge.at(key).get<std::string>(); };
  std::string text = fmt::format("  {:>6}  {}  run {}  epsilon {}, delta {}: {}{}\n",
                                 charge.at("sequence").get<std::uint64_t>(), field("time"),
                                 field("run"), field("epsilon"), field("delta"), field("purpose"),
                                 charge.at("fixed_seed") ? " (fixed seed, not private)" : "");
  for (const Json& part : charge.at("parts")) {
    const auto spare = part.at("spare").get<std::uint64_t>();
    DPFERMI_ASSIGN(const PrivacyEvent event, parse_event(part.at("event").dump()));
    text += fmt::format("          {}: {}{}\n", part.at("purpose").get<std::string>(),
                        describe(event.times(part.at("steps").get<std::uint64_t>() + spare)),
                        spare == 0 ? "" : fmt::format(", {} of them spare", with_thousands(spare)));
  }
  return text;
}

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
  DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open_or_create(path));
  DPFERMI_TRY(file.init_budget(key, cap));
  context.note(fmt::format("ledger {}", path.string()));
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, select_budgets(file, flags.name));
  Context::print(context.json ? to_json(budgets.front()).dump(2) + "\n"
                              : describe_budget(budgets.front()));
  return {};
}

Status show(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, select_budgets(file, flags.name));
  Json json = {{"ledger", path.string()}, {"budgets", Json::array()}};
  context.note(fmt::format("ledger {}", path.string()));
  for (const BudgetState& budget : budgets) {
    json["budgets"].push_back(to_json(budget));
    if (!context.json) Context::print(describe_budget(budget));
  }
  if (!flags.name.empty()) {
    DPFERMI_ASSIGN(const std::vector<Json> charges, charges_of(file, flags.name));
    json["charges"] = charges;
    for (const Json& charge : charges) {
      DPFERMI_ASSIGN(const std::string text, describe_charge(charge));
      if (!context.json) Context::print(text);
    }
  }
  if (context.json) Context::print(json.dump(2) + "\n");
  return {};
}

Result<LedgerHead> parse_head(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<double> sequence = parse_number(text.substr(0, colon));
  if (colon == std::string::npos || !sequence || *sequence < 1 || *sequence > 1e15) {
    return usage_error(
        fmt::format("--head: '{}' is not NUMBER:HASH; copy it from a privacy "
                    "statement or from 'dpfermi ledger verify'",
                    printable(text)));
  }
  return LedgerHead{static_cast<std::uint64_t>(*sequence), text.substr(colon + 1)};
}

/// Opening a ledger checks all of it; what remains is to say so.
Status verify(const Context& context, const LedgerFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.file));
  std::optional<LedgerHead> seen;
  if (!flags.head.empty()) {
    DPFERMI_ASSIGN(seen, parse_head(flags.head));
  }
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  if (seen) DPFERMI_TRY(file.check_contains(*seen));
  DPFERMI_ASSIGN(const LedgerHead head, file.head());
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, file.budgets());
  if (context.json) {
    const Json json = {{"ledger", path.string()},
                       {"ok", true},
                       {"entries", head.sequence},
                       {"budgets", budgets.size()},
                       {"head", fmt::format("{}:{}", head.sequence, head.hash)}};
    Context::print(json.dump(2) + "\n");
  } else {
    Context::print(fmt::format("{}: intact, {} entries, {} budgets, head {}:{}\n", path.string(),
                               with_thousands(head.sequence), budgets.size(), head.sequence,
                               head.hash));
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

void add_init(CLI::App& parent, Context& context, const std::shared_ptr<LedgerFlags>& flags) {
  CLI::App* verb =
      add_verb(parent, context, "init", "Set a budget: what may ever be spent on some data",
               "  dpfermi ledger init adult --epsilon 1 --delta 1e-6 --adjacency sensitive\n"
               "  dpfermi ledger init patients --epsilon 3 --delta 1e-8 --adjacency replace-record",
               [&context, flags] { return init(context, *flags); });
  verb->add_option("name", flags->name, "Name of the budget")->required();
  verb->add_option("--epsilon", flags->epsilon, "The most epsilon, summed over every run")
      ->required();
  verb->add_option("--delta", flags->delta, "The most delta, summed over every run")->required();
  verb->add_option("--adjacency", flags->adjacency,
                   "sensitive, replace-record or add-remove-record")
      ->required();
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

  CLI::App* show_verb = add_verb(*ledger, context, "show", "What was spent and what is left",
                                 "  dpfermi ledger show\n  dpfermi ledger show adult --json",
                                 [&context, flags] { return show(context, *flags); });
  show_verb->add_option("name", flags->name, "One budget, with its charges");

  CLI::App* verify_verb = add_verb(
      *ledger, context, "verify", "Check the file, its chain of hashes, every sum and every rule",
      "  dpfermi ledger verify\n  dpfermi ledger verify --head 17:9f86d081884c7d65...",
      [&context, flags] { return verify(context, *flags); });
  verify_verb->add_option("--head", flags->head,
                          "NUMBER:HASH of an entry seen earlier, which must still be there");

  add_verb(*ledger, context, "export", "Print every entry: JSON lines, or one array with --json",
           "  dpfermi ledger export > ledger.jsonl\n  dpfermi ledger export --json",
           [&context, flags] { return export_entries(context, *flags); });
}

}  // namespace dpfermi::cli
