// A dossier: every sentence names its source, and changes with it; names are no markup.

#include "report/dossier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "artifact/fixtures.h"
#include "artifact/model_file.h"
#include "report/budget_page.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Json charge_entry(std::uint64_t sequence, const std::string& run, const std::string& spent) {
  return {{"kind", "charge"},
          {"budget", "people"},
          {"run", run},
          {"purpose", "training steps"},
          {"fixed_seed", false},
          {"epsilon", "0.5"},
          {"delta", "0.000001"},
          {"spent_epsilon", spent},
          {"time", "2026-11-18T17:15:0" + std::to_string(sequence) + "Z"},
          {"sequence", sequence}};
}

DossierMaterial material() {
  DossierMaterial made;
  made.model = testing_support::income_model();
  made.model.privacy.recorded = LedgerPlace{"abc123", {4, std::string(64, 'a')}};
  made.model.privacy.assumptions = {"the number of records"};
  made.model.privacy.claimed_epsilon = 0.5;
  made.digest = std::string(64, 'b');
  made.purpose = "to correct for bias";
  made.budget.name = "people";
  made.budget.charges = 2;
  made.budget.spent_epsilon = Amount::parse("1", Rounding::kUp).value();
  made.charges = {charge_entry(3, "other", "0.5"), charge_entry(4, "abc123", "1")};
  made.entries = {
      made.charges[1],
      {{"kind", "commit"}, {"run", "abc123"}, {"time", "2026-11-18T17:16:00Z"}, {"sequence", 5}}};
  made.head = {5, std::string(64, 'c')};
  made.as_of = "2026-11-18T17:16:00Z";
  made.checks = {{"Is it whole?", {"model: the whole file"}, "dpfermi verify m.model"}};
  return made;
}

/// Every sentence but those that say how to check others.
std::vector<DossierFact> facts_of(const DossierMaterial& from) {
  std::vector<DossierFact> all = {dossier_lead(from)};
  for (const DossierSection& section : dossier_sections(from)) {
    if (section.title == "How to check it") continue;
    EXPECT_FALSE(section.facts.empty()) << section.title;
    all.insert(all.end(), section.facts.begin(), section.facts.end());
  }
  return all;
}

/// "a.b[2]" in JSON; nothing where there is no such field.
std::optional<std::string> value_at(const Json& json, std::string path) {
  std::ranges::replace(path, '.', '/');
  for (std::size_t at = 0; (at = path.find('[', at)) != std::string::npos;) path[at] = '/';
  std::erase(path, ']');
  const Json::json_pointer pointer("/" + path);
  return json.contains(pointer) ? std::optional(json.at(pointer).dump()) : std::nullopt;
}

/// What a source says; nothing where the material has no such source.
std::optional<std::string> source_value(const DossierMaterial& from, const std::string& source) {
  if (source == "stated by the holder") return from.purpose;
  if (source == "every promise of dpfermi") return "";
  if (source == "model: the whole file") return from.digest;
  if (source == "ledger: charges of the budget") {
    return from.budget.name + from.budget.spent_epsilon.text() + from.budget.spent_delta.text() +
           std::to_string(from.budget.charges);
  }
  if (source == "ledger: limit of the budget") {
    return from.budget.cap ? from.budget.cap->epsilon.text() + " " + from.budget.cap->delta.text()
                           : "none";
  }
  const std::string kNoEnd = "ledger: no entry ends run ";
  const std::string kEntry = "ledger: entry ";
  const std::string kNoField = "model: no ";
  const std::string kField = "model: ";
  if (source.starts_with(kEntry) || source.starts_with(kNoEnd)) {
    for (const Json& entry : from.entries) {
      if (source == kEntry + std::to_string(entry.at("sequence").get<int>())) return entry.dump();
      const bool ends = entry.at("kind") == "commit";
      if (ends && source == kNoEnd + entry.at("run").get<std::string>()) return std::nullopt;
    }
    return source.starts_with(kNoEnd) ? std::optional<std::string>("") : std::nullopt;
  }
  const Json header = Json::parse(header_to_json(from.model).value());
  if (source.starts_with(kNoField)) {
    return value_at(header, source.substr(kNoField.size())) ? std::nullopt
                                                            : std::optional<std::string>("");
  }
  return source.starts_with(kField) ? value_at(header, source.substr(kField.size())) : std::nullopt;
}

DossierMaterial repaired_material() {
  DossierMaterial made = material();
  made.model.rule.repair.emplace();
  made.model.privacy.id_column = "id";
  made.model.privacy.domain_declared = false;
  made.model.privacy.recorded_before = LedgerPlace{"other", {3, std::string(64, 'd')}};
  made.model.training.target = TargetRecord{true, "seen"};
  made.entries.insert(made.entries.begin(), made.charges[0]);
  made.budget.cap = BudgetCap{};
  return made;
}

TEST(Dossier, NamesSourcesThatExistBesideEverySentence) {
  for (const DossierMaterial& from : {material(), repaired_material()}) {
    for (const DossierFact& fact : facts_of(from)) {
      EXPECT_FALSE(fact.sources.empty()) << fact.text;
      for (const std::string& source : fact.sources) {
        EXPECT_TRUE(source_value(from, source)) << fact.text << " names " << source;
      }
    }
  }
}

/// One change each. What it changes among the sources is found by comparison.
using Change = std::function<void(DossierMaterial&)>;
const std::vector<Change> kChanges = {
    [](DossierMaterial& m) { m.purpose = "x"; },
    [](DossierMaterial& m) { m.digest = "0"; },
    [](DossierMaterial& m) { m.model.training.fairness = FairnessNotion::kNone; },
    [](DossierMaterial& m) { m.model.training.max_violation = 0.07; },
    [](DossierMaterial& m) {
      m.model.training.target = TargetRecord{false, "x"};
    },
    [](DossierMaterial& m) { m.model.training.data = "x.csv"; },
    [](DossierMaterial& m) { m.model.training.protocol = "x"; },
    [](DossierMaterial& m) { m.model.training.units = 77; },
    [](DossierMaterial& m) {
      m.model.training.held_out = HeldOut{0.125, 7};
    },
    [](DossierMaterial& m) { m.model.training.method = "x"; },
    [](DossierMaterial& m) { m.model.training.library_version = "x"; },
    [](DossierMaterial& m) { m.model.schema.sensitive[0].column = "x"; },
    [](DossierMaterial& m) { m.model.schema.target.column = "x"; },
    [](DossierMaterial& m) { m.model.groups[0] = "x"; },
    [](DossierMaterial& m) { m.model.classes[0] = "x"; },
    [](DossierMaterial& m) { m.model.favourable = 1 - m.model.favourable; },
    [](DossierMaterial& m) { m.model.pipeline = {}; },
    [](DossierMaterial& m) { m.model.rule.group_table.assign(2 * m.model.groups.size(), 0.5); },
    [](DossierMaterial& m) { m.model.rule.repair.reset(); },
    [](DossierMaterial& m) { m.model.released[0].value = 0.75; },
    [](DossierMaterial& m) { m.model.released[1].value = 0.75; },
    [](DossierMaterial& m) { m.model.privacy.adjacency = Adjacency::kReplaceRecord; },
    [](DossierMaterial& m) { m.model.privacy.id_column = "x"; },
    [](DossierMaterial& m) { m.model.privacy.id_column.clear(); },
    [](DossierMaterial& m) { m.model.privacy.cost->epsilon = 2; },
    [](DossierMaterial& m) { m.model.privacy.cost->delta = 0.125; },
    [](DossierMaterial& m) { m.model.privacy.accountant = "x"; },
    [](DossierMaterial& m) { m.model.privacy.noise = Reproducibility::kReproducible; },
    [](DossierMaterial& m) { m.model.privacy.domain_declared ^= true; },
    [](DossierMaterial& m) { m.model.privacy.assumptions = {"x"}; },
    [](DossierMaterial& m) { m.model.privacy.claimed_epsilon = 0.25; },
    [](DossierMaterial& m) { m.model.privacy.releases[0].count = 999; },
    [](DossierMaterial& m) { m.model.privacy.releases.back().count = 999; },
    [](DossierMaterial& m) { m.entries.front()["epsilon"] = "0.7"; },
    [](DossierMaterial& m) { m.entries[m.entries.size() - 2]["epsilon"] = "0.7"; },
    [](DossierMaterial& m) { m.entries.back()["time"] = "x"; },
    [](DossierMaterial& m) {
      m.entries.push_back(m.entries.back());
      m.entries.back()["run"] = "other";
      m.entries.back()["sequence"] = 6;
    },
    [](DossierMaterial& m) { m.budget.charges = 9; },
    [](DossierMaterial& m) {
      m.budget.cap = BudgetCap{Amount::parse("7", Rounding::kUp).value(), {}, {}};
    },
};

/// A sentence depends on the sources beside it and on nothing else, and on each of them.
TEST(Dossier, ChangesASentenceWithItsSourcesAndWithNothingElse) {
  for (const DossierMaterial& before : {material(), repaired_material()}) {
    std::set<std::pair<std::string, std::string>> untried;  // sentences and their sources
    for (const DossierFact& fact : facts_of(before)) {
      for (const std::string& source : fact.sources) {
        if (source != "every promise of dpfermi") untried.emplace(fact.text, source);
      }
    }
    for (std::size_t number = 0; number < kChanges.size(); ++number) {
      DossierMaterial after = before;
      kChanges[number](after);
      std::set<std::string> kept;
      for (const DossierFact& fact : facts_of(after)) kept.insert(fact.text);
      for (const DossierFact& fact : facts_of(before)) {
        const auto changed = [&](const std::string& source) {
          return source_value(before, source) != source_value(after, source);
        };
        if (std::ranges::none_of(fact.sources, changed)) {
          EXPECT_TRUE(kept.contains(fact.text)) << "change " << number << " changed " << fact.text;
        } else if (!kept.contains(fact.text)) {
          for (const std::string& source : fact.sources) {
            if (changed(source)) untried.erase({fact.text, source});
          }
        }
      }
    }
    for (const auto& [text, source] : untried) {
      ADD_FAILURE() << "no change of " << source << " changes: " << text;
    }
  }
}

TEST(Dossier, WarnsOfTheProxyOfARepairedModel) {
  EXPECT_THAT(dossier_page(material()).value(), Not(HasSubstr("proxy")));
  EXPECT_THAT(dossier_page(repaired_material()).value(), HasSubstr("holds a proxy"));
}

TEST(Dossier, ListsTheChargesOfBothRunsOfARepairedModel) {
  const std::string page = dossier_page(repaired_material()).value();
  EXPECT_THAT(page, HasSubstr("run other was charged"));
  EXPECT_THAT(page, HasSubstr("run abc123 was charged"));
  EXPECT_THAT(page, HasSubstr("Run other has not been closed"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"own\"><td>3</td>"));
  EXPECT_THAT(page, HasSubstr("<tr class=\"own\"><td>4</td>"));
}

TEST(Dossier, SaysInItsHeadlineThatTheGroupsWereReadFromTheData) {
  DossierMaterial open = material();
  const std::string reserved = "certified; the list of groups was read from the data";
  EXPECT_THAT(dossier_page(open).value(), Not(HasSubstr(reserved)));
  open.model.privacy.domain_declared = false;
  EXPECT_THAT(dossier_page(open).value(), HasSubstr(reserved));
}

TEST(Dossier, SaysThatAPurposeWasNotStated) {
  DossierMaterial silent = material();
  silent.purpose.clear();
  EXPECT_THAT(dossier_page(silent).value(), HasSubstr("Purpose: not stated."));
  EXPECT_EQ(Json::parse(registry_record(silent))["deployment"]["basic"]["intended_use"],
            "not stated");
}

TEST(Dossier, KeepsNamesFromBecomingMarkup) {
  const std::string hostile = "</title><script>\"'&{{styles}}[x](y)*";
  DossierMaterial made = material();
  made.purpose = made.budget.name = made.model.training.data = made.model.groups[0] = hostile;
  made.model.schema.target.column = made.model.classes[0] = hostile;
  made.model.released[0].name = made.model.privacy.releases[0].purpose = hostile;
  made.charges[1]["purpose"] = made.entries[0]["purpose"] = hostile;
  made.checks[0].command = hostile;
  const std::string page = dossier_page(made).value();
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, HasSubstr("{{styles}}"));
  const Json record = Json::parse(registry_record(made));
  EXPECT_EQ(record["deployment"]["basic"]["intended_use"],
            "\\</title\\>\\<script\\>\"'\\&\\{\\{styles\\}\\}\\[x\\](y)\\*");
}

TEST(Dossier, BreaksNoLineOfACommandWithinAnOption) {
  DossierMaterial made = material();
  made.checks[0].command = "dpfermi verify x.model --ledger <l>.db --json";
  EXPECT_THAT(dossier_page(made).value(),
              HasSubstr("<pre>dpfermi verify x.model <span>--ledger</span> &lt;l&gt;.db "
                        "<span>--json</span></pre>"));
}

TEST(Dossier, NeedsNoScriptAndLoadsNothing) {
  const std::string page = dossier_page(material()).value();
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("script-src")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, HasSubstr("@media print"));
}

TEST(Dossier, WritesTheRegistrysRequiredFields) {
  const Json record = Json::parse(registry_record(material()));
  EXPECT_EQ(record["url_slug"], "dpfermi-abc123");
  const Json& deployment = record["deployment"];
  for (const char* key : {"name", "data_curators", "description", "intended_use",
                          "data_product_type", "data_product_region", "publication_date"}) {
    EXPECT_TRUE(deployment["basic"].contains(key)) << key;
  }
  for (const char* key : {"status", "registry_authors", "tier"}) {
    EXPECT_TRUE(deployment["administrative"].contains(key)) << key;
  }
  EXPECT_EQ(deployment["basic"]["publication_date"], "2026-11-18");
  EXPECT_EQ(deployment["dp_variant"]["variant_name"], "Approximate DP");
  EXPECT_EQ(deployment["privacy_loss"]["privacy_parameters"]["epsilon"], 1.0);
  EXPECT_THAT(deployment["dp_variant"]["data_domain"].get<std::string>(),
              HasSubstr("Features: age, job."));
}

TEST(Dossier, TellsTheRegistryThatFeaturesAndLabelsAreUnprotectedWhereTheyAre) {
  const auto unprotected = [](const DossierMaterial& from) {
    const Json record = Json::parse(registry_record(from));
    return record["deployment"]["dp_variant"]["unprotected_quantities"].get<std::string>();
  };
  DossierMaterial made = material();
  made.model.privacy.assumptions.clear();
  EXPECT_THAT(unprotected(made), HasSubstr("the label of every record"));
  made.model.privacy.adjacency = Adjacency::kReplaceRecord;
  EXPECT_EQ(unprotected(made), "none");
}

TEST(BudgetHistory, DrawsEveryChargeAndTheLimit) {
  DossierMaterial made = material();
  made.budget.cap = BudgetCap{Amount::parse("2", Rounding::kDown).value(), {}, {}};
  const std::string html = budget_history_html(made.budget, made.charges, {"abc123"});
  EXPECT_THAT(html, HasSubstr("limit 2"));
  EXPECT_THAT(html, HasSubstr("r=\"5\""));
  EXPECT_THAT(html, HasSubstr("r=\"3.5\""));
  EXPECT_THAT(html, HasSubstr("<tr class=\"own\"><td>4</td>"));
  made.budget.cap.reset();
  EXPECT_THAT(budget_history_html(made.budget, made.charges), Not(HasSubstr("limit")));
}

TEST(BudgetHistory, NamesSecondsOnlyWhereAllChargesFellIntoOneMinute) {
  DossierMaterial made = material();
  const std::string minute = budget_history_html(made.budget, made.charges);
  EXPECT_THAT(minute, HasSubstr(">2026-11-18 17:15:03 UTC<"));
  EXPECT_THAT(minute, HasSubstr(">2026-11-18 17:15:04 UTC<"));
  made.charges[1]["time"] = "2026-11-19T08:00:04Z";
  const std::string days = budget_history_html(made.budget, made.charges);
  EXPECT_THAT(days, HasSubstr(">2026-11-18 17:15 UTC<"));
  EXPECT_THAT(days, HasSubstr(">2026-11-19 08:00 UTC<"));
}

TEST(BudgetHistory, DrawsAnInfiniteSumAtTheTop) {
  DossierMaterial made = material();
  made.charges[1]["spent_epsilon"] = "inf";
  const std::string html = budget_history_html(made.budget, made.charges);
  EXPECT_THAT(html, Not(HasSubstr("Vinf")));
  EXPECT_THAT(html, HasSubstr("V26.0"));
  EXPECT_THAT(budget_history_html(made.budget, {}), StartsWith("<p>Nothing has been charged"));
}

}  // namespace
}  // namespace dpfermi
