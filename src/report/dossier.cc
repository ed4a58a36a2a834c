#include "report/dossier.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
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

std::string unit_word(const TrainedModel& model) {
  return model.privacy.id_column.empty()
             ? "records"
             : fmt::format("persons, named by the column {}", model.privacy.id_column);
}

std::string entry_source(const Json& entry) {
  return fmt::format("ledger: entry {}", entry.at("sequence").get<std::uint64_t>());
}

/// An amount of the ledger, which holds every digit, rounded up.
std::string amount_text(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  return value ? rounded_up(*value) : text;
}

DossierSection purpose_section(const DossierMaterial& material) {
  const TrainingRecord& record = material.model.training;
  const std::string stated = material.purpose.empty() ? "not stated" : material.purpose;
  DossierSection section{"For which purpose",
                         {{"Purpose: " + stated + ".", "stated by the holder"}}};
  section.facts.push_back(
      {record.fairness == FairnessNotion::kNone
           ? "The protected attribute was not used to make decisions fairer."
           : fmt::format("The protected attribute was used to train towards {}.",
                         to_string(record.fairness)),
       "model: training.fairness"});
  if (record.max_violation) {
    section.facts.push_back(
        {fmt::format("The target was a violation of at most {:.6g}{}.", *record.max_violation,
                     record.target ? fmt::format(": {}, {}", verdict_word(record.target->met),
                                                 record.target->reason)
                                   : ""),
         "model: training.max_violation"});
  }
  return section;
}

DossierSection read_section(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  DossierSection section{"What was read", {}};
  const auto say = [&](std::string text, std::string source) {
    section.facts.push_back({std::move(text), std::move(source)});
  };
  say(fmt::format("Data: {}.", record.data), "model: training.data");
  if (!record.protocol.empty()) {
    say(fmt::format("Preparation: {}.", record.protocol), "model: training.protocol");
  }
  say(fmt::format("Training read {} {}.", with_thousands(record.units), unit_word(model)),
      "model: training.units");
  say(fmt::format("Protected columns: {}.", name_list(sensitive_columns(model))),
      "model: schema.sensitive");
  say(fmt::format("Groups: {} ({}).", name_list(model.groups),
                  model.privacy.domain_declared ? "declared beforehand"
                                                : "read from the data, treated as public"),
      "model: groups");
  say(fmt::format("Predicted column: {}, with the classes {}; favourable is {}.",
                  model.schema.target.column, name_list(model.classes),
                  model.classes[model.favourable]),
      "model: classes");
  say(fmt::format("Features: {}.", name_list(feature_columns(model))), "model: pipeline");
  if (record.held_out) {
    say(fmt::format("{:.6g} % of the rows were held out for testing.",
                    100 * record.held_out->fraction),
        "model: training.held_out");
  }
  return section;
}

DossierSection when_section(const DossierMaterial& material) {
  DossierSection section{"When, and where it is recorded", {}};
  bool ended = false;
  for (const Json& entry : material.entries) {
    const auto field = [&](const char* key) { return entry.at(key).get<std::string>(); };
    if (entry.at("kind") == "commit") {
      ended = true;
      section.facts.push_back({fmt::format("{}: the run ended and spends no more.", field("time")),
                               entry_source(entry)});
      continue;
    }
    section.facts.push_back(
        {fmt::format("{}: before the data were touched, run {} was charged epsilon {} and delta {} "
                     "for {}{}.",
                     field("time"), field("run"), amount_text(field("epsilon")),
                     amount_text(field("delta")), field("purpose"),
                     entry.at("fixed_seed").get<bool>() ? " (fixed seed, not private)" : ""),
         entry_source(entry)});
  }
  if (!ended) {
    section.facts.push_back({"The run has not been closed in the ledger; it stays charged in full.",
                             "ledger: no entry closes the run"});
  }
  section.facts.push_back(
      {fmt::format("The model was made by dpfermi {}, method {}.",
                   material.model.training.library_version, material.model.training.method),
       "model: training.method"});
  return section;
}

DossierSection promise_section(const PrivacyStatement& statement) {
  DossierSection section{"Under which promise", {}};
  const auto say = [&](std::string text, std::string source) {
    section.facts.push_back({std::move(text), std::move(source)});
  };
  say(fmt::format("Protected: {}.", describe_protected(statement)), "model: privacy.adjacency");
  say(fmt::format("Guarantee: {}.", describe_guarantee(statement)), "model: privacy.cost");
  say(statement.noise == Reproducibility::kSecret
          ? "The noise was secret: its key came from the operating system and was not kept."
          : "The noise came from a known seed: anyone who knows it can subtract the noise.",
      "model: privacy.noise");
  for (const std::string& phrase : treated_as_public(statement)) {
    say(fmt::format("Treated as public: {}.", phrase), "model: privacy.assumptions");
  }
  if (statement.claimed_epsilon) {
    say(fmt::format(
            "A published theorem claims epsilon = {} for the same run; rely only on what is "
            "certified above.",
            rounded_up(*statement.claimed_epsilon)),
        "model: privacy.claimed_epsilon");
  }
  return section;
}

DossierSection left_section(const DossierMaterial& material) {
  DossierSection section{"What left", {}};
  section.facts.push_back(
      {fmt::format("One model file, SHA-256 {}.", material.digest), "model: the whole file"});
  for (const StatedRelease& release : material.model.privacy.releases) {
    section.facts.push_back({fmt::format("{} x {}: {}.", with_thousands(release.count),
                                         release.purpose, describe(release.event)),
                             "model: privacy.releases"});
  }
  if (material.model.privacy.releases.empty()) {
    section.facts.push_back(
        {"Nothing was computed from the protected attribute.", "model: privacy.releases"});
  }
  for (const ReleasedFigure& figure : material.model.released) {
    section.facts.push_back(
        {fmt::format("{} = {:.6g}{}.", figure.name, figure.value,
                     figure.noise_stddev ? fmt::format(" (noise of standard deviation {:.3g})",
                                                       *figure.noise_stddev)
                                         : ""),
         "model: released"});
  }
  return section;
}

DossierSection audience_section(const TrainedModel& model) {
  DossierSection section{"Who may see what", {}};
  const auto say = [&](std::string text, std::string source) {
    section.facts.push_back({std::move(text), std::move(source)});
  };
  say(fmt::format("The holder alone sees the protected columns ({}) and figures marked \"{}\".",
                  name_list(sensitive_columns(model)), ExactForHolder::kLabel),
      "model: schema.sensitive");
  say(is_private(model.privacy)
          ? "The promise holds against anyone who has the model file, its card and this dossier."
          : "The model file promises nothing: give it only to those who may see the data.",
      "model: privacy.cost");
  say(features_are_public(model.privacy.adjacency)
          ? "Features, labels and who is in the data are taken to be known to all of them."
          : "Features, labels and who is in the data are protected like the rest of a record.",
      "model: privacy.adjacency");
  say(model.rule.needs_group()
          ? "Prediction needs the protected columns of the people that the model judges."
          : "Prediction needs the features alone, not the protected columns.",
      "model: rule");
  if (model.rule.repair) {
    say("The file holds a proxy of the protected attribute, from which a person's group can be "
        "guessed from their features: give it only to those who may make such guesses.",
        "model: rule.repair");
  }
  return section;
}

DossierSection uncovered_section(const PrivacyStatement& statement) {
  DossierSection section{"What is not covered", {}};
  for (const std::string& phrase : not_covered(statement)) {
    section.facts.push_back({fmt::format("Not covered: {}.", phrase), "model: privacy.adjacency"});
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
                           "ledger: charges of the budget"});
  section.facts.push_back(
      {budget.cap ? fmt::format("Its limit is epsilon {} and delta {}. A run that does not fit is "
                                "refused before anything is read.",
                                down(budget.cap->epsilon), down(budget.cap->delta))
                  : "It has no limit: spending is recorded, not stopped.",
       "ledger: limit of the budget"});
  return section;
}

std::string section_html(const DossierSection& section, const std::string& more) {
  std::string html = fmt::format("<section><h2>{}</h2>\n<ul class=\"facts\">\n", section.title);
  for (const DossierFact& fact : section.facts) {
    html += fmt::format("<li><div class=\"text\">{}{}</div><span class=\"source\">{}</span></li>\n",
                        escape_html(fact.text),
                        fact.command.empty() ? "" : "<pre>" + escape_html(fact.command) + "</pre>",
                        escape_html(fact.source));
  }
  return html + "</ul>\n" + more + "</section>\n";
}

std::string lead_text(const DossierMaterial& material) {
  const PrivacyStatement& statement = material.model.privacy;
  if (!is_private(statement)) return "This model is NOT PRIVATE.";
  if (statement.releases.empty()) return "This model was trained without the protected attribute.";
  return fmt::format(
      "{} is protected with epsilon = {}, delta = {}, certified{}.",
      features_are_public(statement.adjacency) ? "The protected attribute" : "Every record",
      rounded_up(statement.cost->epsilon), rounded_up(statement.cost->delta),
      headline_reservation(statement));
}

}  // namespace

Result<DossierMaterial> gather_dossier(const std::string& model_path, const LedgerFile& ledger,
                                       const std::string& purpose) {
  DossierMaterial material;
  material.purpose = purpose;
  DPFERMI_ASSIGN(material.model, read_model(model_path));
  DPFERMI_ASSIGN(material.digest, sha256_of_file(model_path));
  DPFERMI_ASSIGN(const LedgerPlace place, recorded_place(model_path, material.model.privacy));
  DPFERMI_ASSIGN(const RunState run, recorded_run(ledger, place));
  if (const auto epsilon = recompute_epsilon(material.model.privacy); !epsilon) {
    return failed(fmt::format("{}: {}", printable(model_path), epsilon.error().message));
  }
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, ledger.budgets());
  const auto found = std::ranges::find(budgets, run.budget, &BudgetState::name);
  if (found == budgets.end()) return failed("the ledger has no budget of this run");
  material.budget = *found;
  DPFERMI_ASSIGN(material.head, ledger.head());
  DPFERMI_ASSIGN(const std::vector<Json> entries, ledger_entries(ledger));
  material.charges = charges_of(entries, run.budget);
  for (const Json& entry : entries) {
    if (entry.value("run", "") == run.id) material.entries.push_back(entry);
  }
  material.as_of = entries.back().at("time");
  return material;
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
                                                           material.model.privacy.recorded->run_id)
                                     : "");
  }
  return paper_page(
      {.kind = "dossier",
       .title = fmt::format("Dossier: a model of {}", material.model.schema.target.column),
       .lead = lead_text(material),
       .sections = sections,
       .footer = fmt::format(
           "dpfermi {} · as of {}, ledger head {} · beside every sentence stands the field of the "
           "model or the entry of the ledger that it comes from",
           version(), material.as_of, to_string(material.head))});
}

}  // namespace dpfermi
