// A dossier: every sentence names its source, and changes with it; names are no markup.

#include "report/dossier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "artifact/fixtures.h"
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
  made.checks = {{"Is it whole?", "model: the whole file", "dpfermi verify m.model"}};
  return made;
}

/// The sentences by their source, those of one source together.
std::map<std::string, std::string> by_source(const DossierMaterial& from) {
  std::map<std::string, std::string> found;
  for (const DossierSection& section : dossier_sections(from)) {
    for (const DossierFact& fact : section.facts) found[fact.source] += fact.text + "\n";
  }
  return found;
}

TEST(Dossier, NamesAFieldOrAnEntryBesideEverySentence) {
  for (const DossierSection& section : dossier_sections(material())) {
    EXPECT_FALSE(section.facts.empty()) << section.title;
    for (const DossierFact& fact : section.facts) {
      EXPECT_TRUE(fact.source.starts_with("model: ") || fact.source.starts_with("ledger: ") ||
                  fact.source == "stated by the holder")
          << fact.text << " has the source " << fact.source;
    }
  }
}

/// What changes a source, by the source: no sentence may be without one.
using Change = std::function<void(DossierMaterial&)>;
const std::map<std::string, Change> kChanges = {
    {"stated by the holder", [](DossierMaterial& m) { m.purpose.clear(); }},
    {"model: training.fairness",
     [](DossierMaterial& m) { m.model.training.fairness = FairnessNotion::kNone; }},
    {"model: training.max_violation",
     [](DossierMaterial& m) { m.model.training.max_violation = 0.07; }},
    {"model: training.data", [](DossierMaterial& m) { m.model.training.data = "x.csv"; }},
    {"model: training.protocol", [](DossierMaterial& m) { m.model.training.protocol = "x"; }},
    {"model: training.units", [](DossierMaterial& m) { m.model.training.units = 77; }},
    {"model: schema.sensitive",
     [](DossierMaterial& m) { m.model.schema.sensitive[0].column = "x"; }},
    {"model: groups", [](DossierMaterial& m) { m.model.groups[0] = "x"; }},
    {"model: classes", [](DossierMaterial& m) { m.model.classes[0] = "x"; }},
    {"model: pipeline", [](DossierMaterial& m) { m.model.pipeline = {}; }},
    {"model: training.held_out", [](DossierMaterial& m) { m.model.training.held_out = {}; }},
    {"ledger: entry 4", [](DossierMaterial& m) { m.entries[0]["epsilon"] = "0.7"; }},
    {"ledger: entry 5", [](DossierMaterial& m) { m.entries.pop_back(); }},
    {"model: training.method", [](DossierMaterial& m) { m.model.training.method = "x"; }},
    {"model: privacy.adjacency",
     [](DossierMaterial& m) { m.model.privacy.adjacency = Adjacency::kReplaceRecord; }},
    {"model: privacy.cost", [](DossierMaterial& m) { m.model.privacy.cost->epsilon = 2; }},
    {"model: privacy.noise",
     [](DossierMaterial& m) { m.model.privacy.noise = Reproducibility::kReproducible; }},
    {"model: privacy.assumptions", [](DossierMaterial& m) { m.model.privacy.assumptions = {"x"}; }},
    {"model: privacy.claimed_epsilon",
     [](DossierMaterial& m) { m.model.privacy.claimed_epsilon = 0.25; }},
    {"model: the whole file", [](DossierMaterial& m) { m.digest = "0"; }},
    {"model: privacy.releases", [](DossierMaterial& m) { m.model.privacy.releases.clear(); }},
    {"model: released", [](DossierMaterial& m) { m.model.released[0].value = 0.5; }},
    {"model: rule",
     [](DossierMaterial& m) { m.model.rule.group_table.assign(2 * m.model.groups.size(), 0.5); }},
    {"ledger: charges of the budget", [](DossierMaterial& m) { m.budget.charges = 9; }},
    {"ledger: limit of the budget", [](DossierMaterial& m) { m.budget.cap = BudgetCap{}; }},
};

TEST(Dossier, ChangesASentenceWithItsSource) {
  const auto before = by_source(material());
  for (const auto& [source, text] : before) {
    const auto change = kChanges.find(source);
    ASSERT_NE(change, kChanges.end()) << "nothing is known to change: " << text;
    DossierMaterial changed = material();
    change->second(changed);
    EXPECT_NE(by_source(changed)[source], text) << source;
  }
  EXPECT_EQ(before.size(), kChanges.size());
}

TEST(Dossier, WarnsOfTheProxyOfARepairedModel) {
  EXPECT_THAT(dossier_page(material()).value(), Not(HasSubstr("proxy")));
  DossierMaterial repaired = material();
  repaired.model.rule.repair.emplace();
  EXPECT_EQ(by_source(repaired).count("model: rule.repair"), 1U);
  EXPECT_THAT(dossier_page(repaired).value(), HasSubstr("holds a proxy"));
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
}

TEST(BudgetHistory, DrawsEveryChargeAndTheLimit) {
  DossierMaterial made = material();
  made.budget.cap = BudgetCap{Amount::parse("2", Rounding::kDown).value(), {}, {}};
  const std::string html = budget_history_html(made.budget, made.charges, "abc123");
  EXPECT_THAT(html, HasSubstr("limit 2"));
  EXPECT_THAT(html, HasSubstr("r=\"5\""));
  EXPECT_THAT(html, HasSubstr("r=\"3.5\""));
  EXPECT_THAT(html, HasSubstr("<tr class=\"own\"><td>4</td>"));
  made.budget.cap.reset();
  EXPECT_THAT(budget_history_html(made.budget, made.charges), Not(HasSubstr("limit")));
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
