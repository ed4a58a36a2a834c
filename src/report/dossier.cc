#include "report/dossier.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "core/file.h"
#include "core/text.h"
#include "data/checksum.h"
#include "dpfermi/core/version.h"
#include "dpfermi/privacy/protected.h"
#include "report/budget_page.h"
#include "report/html.h"
#include "workflow/verification.h"

namespace dpfermi {
namespace {

// Names in a dossier are not cut.
std::string name_list(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> sensitive_columns(const TrainedModel& model) {
  std::vector<std::string> columns;
  for (const SensitiveSpec& spec : model.schema.sensitive) columns.push_back(spec.column);
  return columns;
}

std::vector<std::string> feature_columns(const TrainedModel& model) {
  std::vector<std::string> columns;
  for (const NumericFeature& f : model.pipeline.numeric()) columns.push_back(f.column);
  for (const CategoryFeature& f : model.pipeline.categories()) columns.push_back(f.column);
  return columns;
}

/// Fields of the model file.
template <class... Fields>
std::vector<std::string> model_fields(const Fields&... fields) {
  return {fmt::format("model: {}", fields)...};
}

std::string entry_source(const Json& entry) {
  return fmt::format("ledger: entry {}", entry.at("sequence").get<std::uint64_t>());
}

/// The unit that is protected, and its column where there is one.
std::vector<std::string> with_unit(std::vector<std::string> sources,
                                   const PrivacyStatement& statement) {
  sources.emplace_back("model: privacy.unit");
  if (!statement.id_column.empty()) sources.emplace_back("model: privacy.id");
  return sources;
}

/// An amount of the ledger, which holds every digit, rounded up.
std::string amount_text(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  return value ? rounded_up(*value) : text;
}

/// The runs that the model was charged to.
std::vector<std::string> runs_of(const PrivacyStatement& statement) {
  std::vector<std::string> runs;
  for (const auto& place : {statement.recorded_before, statement.recorded}) {
    if (place) runs.push_back(place->run_id);
  }
  return runs;
}

DossierSection purpose_section(const DossierMaterial& material) {
  const TrainingRecord& record = material.model.training;
  const std::string stated = material.purpose.empty() ? "not stated" : material.purpose;
  DossierSection section{"For which purpose",
                         {{"Purpose: " + stated + ".", {"stated by the holder"}}}};
  section.facts.push_back(
      {record.fairness == FairnessNotion::kNone
           ? "The protected attribute was not used to make decisions fairer."
           : fmt::format("The protected attribute was used to train towards {}.",
                         to_string(record.fairness)),
       model_fields("training.fairness")});
  if (record.max_violation) {
    section.facts.push_back(
        {fmt::format("The target was a violation of at most {:.6g}.", *record.max_violation),
         model_fields("training.max_violation")});
  }
  if (record.target) {
    section.facts.push_back({fmt::format("Whether it was met: {}, {}.",
                                         verdict_word(record.target->met), record.target->reason),
                             model_fields("training.target")});
  }
  return section;
}

DossierSection read_section(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  DossierSection section{"What was read", {}};
  const auto say = [&](std::string text, std::vector<std::string> sources) {
    section.facts.push_back({std::move(text), std::move(sources)});
  };
  say(fmt::format("Data: {}.", record.data), model_fields("training.data"));
  if (!record.protocol.empty()) {
    say(fmt::format("Preparation: {}.", record.protocol), model_fields("training.protocol"));
  }
  const std::string unit =
      model.privacy.id_column.empty()
          ? "records"
          : fmt::format("persons, named by the column {}", model.privacy.id_column);
  say(fmt::format("Training read {} {}.", with_thousands(record.units), unit),
      with_unit(model_fields("training.units"), model.privacy));
  say(fmt::format("Protected columns: {}.", name_list(sensitive_columns(model))),
      model_fields("schema.sensitive"));
  say(fmt::format("Groups: {}.", name_list(model.groups)), model_fields("model.groups"));
  say(model.privacy.domain_declared
          ? "The list of groups was declared beforehand."
          : "The list of groups was read from the data and is treated as public.",
      model_fields("privacy.group_domain"));
  say(fmt::format("Predicted column: {}.", model.schema.target.column),
      model_fields("schema.target.column"));
  say(fmt::format("Classes: {}; favourable is {}.", name_list(model.classes),
                  model.classes[model.favourable]),
      model_fields("model.classes", "model.favourable"));
  say(fmt::format("Features: {}.", name_list(feature_columns(model))), model_fields("pipeline"));
  if (record.held_out) {
    say(fmt::format("{:.6g} % of the rows were held out for testing.",
                    100 * record.held_out->fraction),
        model_fields("training.held_out"));
  }
  return section;
}

/// One fact for every entry of the model's runs, and for every run that none of them ends.
DossierSection when_section(const DossierMaterial& material) {
  DossierSection section{"When, and where it is recorded", {}};
  std::vector<std::string> ended;
  for (const Json& entry : material.entries) {
    const auto field = [&](const char* key) { return entry.at(key).get<std::string>(); };
    if (entry.at("kind") == "commit") {
      ended.push_back(field("run"));
      section.facts.push_back(
          {fmt::format("{}: run {} ended and spends no more.", field("time"), field("run")),
           {entry_source(entry)}});
      continue;
    }
    section.facts.push_back(
        {fmt::format("{}: before the data were touched, run {} was charged epsilon {} and delta {} "
                     "for {}{}.",
                     field("time"), field("run"), amount_text(field("epsilon")),
                     amount_text(field("delta")), field("purpose"),
                     entry.at("fixed_seed").get<bool>() ? " (fixed seed, not private)" : ""),
         {entry_source(entry)}});
  }
  for (const std::string& run : runs_of(material.model.privacy)) {
    if (contains(ended, run)) continue;
    section.facts.push_back(
        {fmt::format("Run {} has not been closed in the ledger; it stays charged in full.", run),
         {fmt::format("ledger: no entry ends run {}", run)}});
  }
  section.facts.push_back(
      {fmt::format("The model was made by dpfermi {}, method {}.",
                   material.model.training.library_version, material.model.training.method),
       model_fields("training.library_version", "training.method")});
  return section;
}

DossierSection promise_section(const PrivacyStatement& statement) {
  DossierSection section{"Under which promise", {}};
  const auto say = [&](std::string text, std::vector<std::string> sources) {
    section.facts.push_back({std::move(text), std::move(sources)});
  };
  say(fmt::format("Protected: {}.", describe_protected(statement)),
      with_unit(model_fields("privacy.adjacency"), statement));
  std::vector<std::string> guarantee = model_fields("privacy.epsilon");
  if (statement.cost_given_shares) {
    guarantee = model_fields("privacy.given_public_shares", "privacy.accountant", "privacy.noise");
  } else if (statement.cost) {
    guarantee = model_fields("privacy.epsilon", "privacy.delta", "privacy.accountant",
                             "privacy.noise", "privacy.adjacency", "privacy.unit");
  }
  say(fmt::format("Guarantee: {}.", describe_guarantee(statement)), std::move(guarantee));
  say(statement.noise == Reproducibility::kSecret
          ? "The noise was secret: its key came from the operating system and was not kept."
          : "The noise came from a known seed: anyone who knows it can subtract the noise.",
      model_fields("privacy.noise"));
  for (const std::string& phrase : treated_as_public(statement)) {
    const bool assumed = contains(statement.assumptions, phrase);
    say(fmt::format("Treated as public: {}.", phrase),
        model_fields(assumed ? "privacy.assumptions" : "privacy.group_domain"));
  }
  if (statement.claimed_epsilon) {
    say(fmt::format("A published theorem claims epsilon = {} for the same run; rely only on what "
                    "is certified above.",
                    rounded_up(*statement.claimed_epsilon)),
        model_fields("privacy.claimed_epsilon"));
  }
  return section;
}

DossierSection left_section(const DossierMaterial& material) {
  DossierSection section{"What left", {}};
  section.facts.push_back(
      {fmt::format("One model file, SHA-256 {}.", material.digest), {"model: the whole file"}});
  const std::vector<StatedRelease>& releases = material.model.privacy.releases;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    section.facts.push_back({fmt::format("{} x {}: {}.", with_thousands(releases[i].count),
                                         releases[i].purpose, describe(releases[i].event)),
                             model_fields(fmt::format("privacy.releases[{}]", i))});
  }
  if (releases.empty()) {
    section.facts.push_back(
        {"Nothing was computed from the protected attribute.", model_fields("privacy.releases")});
  }
  for (std::size_t i = 0; i < material.model.released.size(); ++i) {
    const ReleasedFigure& figure = material.model.released[i];
    section.facts.push_back(
        {fmt::format("{} = {:.6g}{}.", figure.name, figure.value,
                     figure.noise_stddev ? fmt::format(" (noise of standard deviation {:.3g})",
                                                       *figure.noise_stddev)
                                         : ""),
         model_fields(fmt::format("released[{}]", i))});
  }
  return section;
}

DossierSection audience_section(const TrainedModel& model) {
  DossierSection section{"Who may see what", {}};
  const auto say = [&](std::string text, std::vector<std::string> sources) {
    section.facts.push_back({std::move(text), std::move(sources)});
  };
  say(fmt::format("The holder alone sees the protected columns ({}) and figures marked \"{}\".",
                  name_list(sensitive_columns(model)), ExactForHolder::kLabel),
      model_fields("schema.sensitive"));
  say(is_private(model.privacy)
          ? "The promise holds against anyone who has the model file, its card and this dossier."
          : "The model file promises nothing: give it only to those who may see the data.",
      model_fields("privacy.private"));
  say(features_are_public(model.privacy.adjacency)
          ? "Features, labels and who is in the data are taken to be known to all of them."
          : "Features, labels and who is in the data are protected like the rest of a record.",
      model_fields("privacy.adjacency"));
  say(model.rule.needs_group()
          ? "Prediction needs the protected columns of the people that the model judges."
          : "Prediction needs the features alone, not the protected columns.",
      model_fields(model.rule.plain() ? "no model.rule" : "model.rule"));
  if (model.rule.repair) {
    say("The file holds a proxy of the protected attribute, from which a person's group can be "
        "guessed from their features: give it only to those who may make such guesses.",
        model_fields("model.rule.repair"));
  }
  return section;
}

DossierSection uncovered_section(const PrivacyStatement& statement) {
  DossierSection section{"What is not covered", {}};
  for (const NotCovered& each : not_covered(statement)) {
    section.facts.push_back({fmt::format("Not covered: {}.", each.phrase),
                             each.field.empty()
                                 ? std::vector<std::string>{"every promise of dpfermi"}
                                 : model_fields(fmt::format("privacy.{}", each.field))});
  }
  return section;
}

DossierSection budget_section(const BudgetState& budget) {
  const auto up = [](const Amount& amount) { return amount_text(amount.text()); };
  const auto down = [](const Amount& a) { return shortest(a.to_double(Rounding::kDown)); };
  DossierSection section{"The budget over time", {}};
  section.facts.push_back({fmt::format("Budget '{}' has spent epsilon {} and delta {} in {}.",
                                       budget.name, up(budget.spent_epsilon),
                                       up(budget.spent_delta), counted(budget.charges, "charge")),
                           {"ledger: charges of the budget"}});
  section.facts.push_back(
      {budget.cap ? fmt::format("Its limit is epsilon {} and delta {}. A run that does not fit is "
                                "refused before anything is read.",
                                down(budget.cap->epsilon), down(budget.cap->delta))
                  : "It has no limit: spending is recorded, not stopped.",
       {"ledger: limit of the budget"}});
  return section;
}

/// Sources as they are shown: "model: training.units, privacy.unit".
std::string source_text(const DossierFact& fact) {
  std::string text;
  std::string_view last;
  for (const std::string_view source : fact.sources) {
    const std::size_t end = source.find(": ");
    const std::string_view kind = end == std::string_view::npos ? "" : source.substr(0, end + 2);
    const bool again = !kind.empty() && kind == last;
    text += text.empty() ? "" : again ? ", " : "; ";
    text += again ? source.substr(kind.size()) : source;
    last = kind;
  }
  return text;
}

/// A command as a block in which no line ends within the hyphens of an option.
std::string command_html(const std::string& command) {
  const std::string text = escape_html(command);
  std::string html = "<pre>";
  std::size_t done = 0;
  for (std::size_t at = text.find(" --"); at != std::string::npos; at = text.find(" --", done)) {
    const std::size_t end = std::min(text.find(' ', at + 1), text.size());
    html += text.substr(done, at + 1 - done);
    html += fmt::format("<span>{}</span>", text.substr(at + 1, end - at - 1));
    done = end;
  }
  return html + text.substr(done) + "</pre>";
}

std::string section_html(const DossierSection& section, const std::string& more) {
  std::string html = fmt::format("<section><h2>{}</h2>\n<ul class=\"facts\">\n", section.title);
  for (const DossierFact& fact : section.facts) {
    html +=
        fmt::format("<li><div class=\"text\">{}{}</div><span class=\"source\">{}</span></li>\n",
                    escape_html(fact.text), fact.command.empty() ? "" : command_html(fact.command),
                    escape_html(source_text(fact)));
  }
  return html + "</ul>\n" + more + "</section>\n";
}

}  // namespace

Result<DossierMaterial> gather_dossier(const std::string& model_path, const LedgerFile& ledger,
                                       const std::string& purpose) {
  DossierMaterial material;
  material.purpose = purpose;
  DPFERMI_ASSIGN(const std::string bytes, read_text_file(model_path));
  DPFERMI_ASSIGN(material.model, decode_model(bytes, model_path));
  DPFERMI_ASSIGN(material.digest, sha256_of_bytes(bytes));
  const PrivacyStatement& statement = material.model.privacy;
  if (const auto checked = recompute_epsilon(model_path, statement); !checked) {
    return tl::unexpected(checked.error());
  }
  DPFERMI_ASSIGN(const std::vector<RunState> runs, recorded_runs(ledger, model_path, statement));
  const RunState& run = runs.front();
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, ledger.budgets());
  const auto found = std::ranges::find(budgets, run.budget, &BudgetState::name);
  if (found == budgets.end()) return failed("the ledger has no budget of this run");
  material.budget = *found;
  DPFERMI_ASSIGN(material.head, ledger.head());
  DPFERMI_ASSIGN(const std::vector<Json> entries, ledger_entries(ledger));
  material.charges = charges_of(entries, run.budget);
  for (const Json& entry : entries) {
    const auto is_of = [&](const RunState& known) { return entry.value("run", "") == known.id; };
    if (std::ranges::any_of(runs, is_of)) material.entries.push_back(entry);
  }
  material.as_of = entries.back().at("time");
  return material;
}

DossierFact dossier_lead(const DossierMaterial& material) {
  const PrivacyStatement& statement = material.model.privacy;
  if (!is_private(statement)) {
    return {"This model is NOT PRIVATE.", model_fields("privacy.private")};
  }
  if (statement.releases.empty()) {
    return {"This model was trained without the protected attribute.",
            model_fields("privacy.releases")};
  }
  return {fmt::format(
              "{} is protected with epsilon = {}, delta = {}, certified{}.",
              features_are_public(statement.adjacency) ? "The protected attribute" : "Every record",
              rounded_up(statement.cost->epsilon), rounded_up(statement.cost->delta),
              headline_reservation(statement)),
          model_fields("privacy.private", "privacy.adjacency", "privacy.epsilon", "privacy.delta",
                       "privacy.group_domain")};
}

std::vector<DossierSection> dossier_sections(const DossierMaterial& material) {
  const TrainedModel& model = material.model;
  return {purpose_section(material),
          read_section(model),
          when_section(material),
          promise_section(model.privacy),
          left_section(material),
          audience_section(model),
          uncovered_section(model.privacy),
          budget_section(material.budget),
          {"How to check it", material.checks}};
}

Result<std::string> dossier_page(const DossierMaterial& material) {
  std::string sections;
  for (const DossierSection& section : dossier_sections(material)) {
    const bool budget = section.title == budget_section(material.budget).title;
    sections +=
        section_html(section, budget ? budget_history_html(material.budget, material.charges,
                                                           runs_of(material.model.privacy))
                                     : "");
  }
  const DossierFact lead = dossier_lead(material);
  return paper_page(
      {.kind = "dossier",
       .title = fmt::format("Dossier: a model of {}", material.model.schema.target.column),
       .lead = lead.text,
       .sections = sections,
       .footer = fmt::format(
           "dpfermi {} · as of {}, ledger head {} · beside every sentence stand the fields of the "
           "model or the entry of the ledger that it comes from",
           version(), material.as_of, to_string(material.head)),
       .lead_source = source_text(lead)});
}

}  // namespace dpfermi
