// Exports: what is refused, what travels with them, and names that would break out of quotes.
// tests/export/oracle_test.py has other programs score them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>

#include <nlohmann/json.hpp>

#include "artifact/fixtures.h"
#include "artifact/model_card.h"
#include "export/effects.h"
#include "export/export_form.h"
#include "export/formats.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::income_model;

RepairRule small_repair(const TrainedModel& model) {
  RepairRule rule;
  rule.groups = model.groups.size();
  rule.condition_by_label = {0, 1};
  rule.beta.assign((model.spec.inputs + 1) * rule.width(), 0.5F);
  rule.costs.assign(2 * rule.groups * 2, 0.25);
  return rule;
}

TrainedModel repaired_income_model() {
  TrainedModel model = income_model();
  model.rule.repair = small_repair(model);
  return model;
}

/// A model whose column and category names hold whatever markup and quoting can.
TrainedModel hostile_model() {
  Schema schema;
  schema.target = {.column = "in'co\"me", .positive = "hi'gh\""};
  const Table table = testing_support::read_text(
                          "\"a\"\"'; DROP TABLE t; --\",\"<b>]]>\nx\",\"in'co\"\"me\"\n"
                          "1,\"o'\"\"x\",\"hi'gh\"\"\"\n2,</script>,low\n",
                          schema, TableUse::kFit)
                          .value();
  TrainedModel model;
  model.pipeline = Pipeline::fit(table, testing_support::all_rows(table)).value();
  model.spec = {model.pipeline.columns(), 2, {}};
  model.theta.assign(model.spec.parameter_count(), 0.5F);
  model.schema = model_schema(table);
  model.classes = table.labels.classes;
  model.favourable = table.labels.positive;
  model.training.method = "erm";
  return model;
}

std::string complaint(const Result<std::string>& exported) {
  return exported ? "exported" : exported.error().message;
}

onnx::ModelProto parsed(const TrainedModel& model) {
  onnx::ModelProto proto;
  const auto bytes = export_onnx(model);
  EXPECT_TRUE(bytes) << complaint(bytes);
  EXPECT_TRUE(bytes && proto.ParseFromString(*bytes));
  return proto;
}

std::string metadata(const onnx::ModelProto& proto, const std::string& key) {
  for (const auto& entry : proto.metadata_props()) {
    if (entry.key() == key) return entry.value();
  }
  return "";
}

TEST(Export, RefusesAModelThatReadsTheProtectedAttribute) {
  TrainedModel by_table = income_model();
  by_table.rule.group_table.assign(2 * by_table.groups.size(), 0.5);
  TrainedModel by_offsets = income_model();
  by_offsets.rule.group_offsets.assign(2 * by_offsets.groups.size(), 0.25);
  for (const TrainedModel& model : {by_table, by_offsets}) {
    for (const auto& exported : {export_onnx(model), export_sql(model, "t"), export_json(model)}) {
      EXPECT_THAT(complaint(exported), HasSubstr("decides by the protected attribute"));
    }
  }
}

TEST(Export, RefusesAModelOfImages) {
  TrainedModel model = income_model();
  model.network = ImageNetwork{};
  EXPECT_THAT(complaint(export_onnx(model)), HasSubstr("reads images"));
}

/// Two trees: a question about the first input, then a leaf alone.
TrainedModel boosted_income_model() {
  TrainedModel model = income_model();
  model.spec.hidden.clear();
  model.spec.boosted = true;
  model.spec.tree_nodes = 4;
  model.theta = {0, 0.25F, 2, -1, 0.5F, 0, -1, -0.75F, 0, -1, 0.125F, 0};
  model.rule = {};
  return model;
}

TEST(Export, RefusesBoostedTreesInSqlAndPointsToOnnx) {
  EXPECT_THAT(complaint(export_sql(boosted_income_model(), "t")), HasSubstr("export as onnx"));
}

TEST(Effects, OfTreesAreTheSharesOfTheirGains) {
  TrainedModel model = boosted_income_model();
  EXPECT_TRUE(member_effects(model).empty());
  EXPECT_TRUE(class_gains(model).empty()) << "made before gains were kept";
  model.gains.assign(model.spec.inputs, 0);
  model.gains[0] = 1;
  model.gains[2] = 3;
  const std::vector<ClassGains> gains = class_gains(model);
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(gains[0].name, model.classes[model.favourable]);
  ASSERT_EQ(gains[0].gains.size(), 2U) << "inputs that are never asked about are left out";
  const std::vector<InputName> names = input_names(scoring_form(model));
  EXPECT_EQ(gains[0].gains[0].share, 0.75);
  EXPECT_EQ(gains[0].gains[0].input.value, names[2].value);
  EXPECT_EQ(gains[0].gains[1].share, 0.25);
  EXPECT_EQ(gains[0].gains[1].input.column, names[0].column);
}

TEST(Effects, OfTreesForThreeClassesAreGivenByClass) {
  TrainedModel model = boosted_income_model();
  model.classes = {"low", "mid", "high"};
  model.spec.classes = 3;
  model.gains.assign(3 * model.spec.inputs, 0);
  model.gains[2 * model.spec.inputs + 1] = 7;
  const std::vector<ClassGains> gains = class_gains(model);
  ASSERT_EQ(gains.size(), 3U);
  EXPECT_TRUE(gains[0].gains.empty());
  ASSERT_EQ(gains[2].gains.size(), 1U);
  EXPECT_EQ(gains[2].gains[0].share, 1);
}

TEST(ExportOnnx, WritesTreesAsParallelListsOfNodesAndLeaves) {
  const onnx::ModelProto proto = parsed(boosted_income_model());
  EXPECT_NO_THROW(onnx::checker::check_model(proto));
  std::map<std::string, onnx::AttributeProto> found;
  for (const onnx::NodeProto& node : proto.graph().node()) {
    if (node.op_type() != "TreeEnsembleRegressor") continue;
    for (const onnx::AttributeProto& entry : node.attribute()) found[entry.name()] = entry;
  }
  EXPECT_THAT(found["nodes_treeids"].ints(), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(found["nodes_modes"].strings(), ElementsAre("BRANCH_LT", "LEAF", "LEAF", "LEAF"));
  EXPECT_EQ(found["nodes_values"].floats(0), 0.25F);
  EXPECT_EQ(found["nodes_truenodeids"].ints(0), 1);
  EXPECT_EQ(found["nodes_falsenodeids"].ints(0), 2);
  EXPECT_THAT(found["target_treeids"].ints(), ElementsAre(0, 0, 1));
  EXPECT_THAT(found["target_nodeids"].ints(), ElementsAre(1, 2, 0));
  EXPECT_THAT(found["target_weights"].floats(), ElementsAre(0.5F, -0.75F, 0.125F));
}

TEST(ExportJson, ListsTheNodesOfTreesByTheirIndex) {
  const TrainedModel model = boosted_income_model();
  const auto trees = nlohmann::json::parse(export_json(model).value())["trees"];
  EXPECT_THAT(trees["roots"], ElementsAre(0, 3));
  EXPECT_EQ(trees["inputs"].size(), model.spec.inputs);
  EXPECT_EQ(trees["nodes"][0].dump(), R"({"below":0.25,"else":2,"input":0,"then":1})");
  EXPECT_EQ(trees["nodes"][2].dump(), R"({"leaf":-0.75})");
}

TEST(Export, RefusesMixturesWhereTheDrawCannotBeExpressed) {
  TrainedModel model = income_model();
  model.theta.insert(model.theta.end(), model.theta.begin(), model.theta.end());
  model.rule.weights = {0.25, 0.75};
  EXPECT_THAT(complaint(export_onnx(model)), HasSubstr("64-bit hash"));
  EXPECT_THAT(complaint(export_sql(model, "t")), HasSubstr("64-bit hash"));
  const auto json = nlohmann::json::parse(export_json(model).value());
  EXPECT_EQ(json["members"].size(), 2U);
  EXPECT_THAT(json["weights"], ElementsAre(0.25, 0.75));
}

TEST(Export, RefusesANetworkInSqlAndPointsToOnnx) {
  EXPECT_THAT(complaint(export_sql(income_model({3}), "t")), HasSubstr("export it as onnx"));
  EXPECT_EQ(complaint(export_onnx(income_model({3}))), "exported");
}

TEST(Export, RefusesASqlTableWithoutAName) {
  EXPECT_THAT(complaint(export_sql(income_model(), "")), HasSubstr("name the table"));
}

TEST(ExportOnnx, PassesTheCheckerAndCarriesCardAndStatement) {
  for (const TrainedModel& model :
       {income_model(), income_model({3, 2}), repaired_income_model(), hostile_model()}) {
    const onnx::ModelProto proto = parsed(model);
    EXPECT_NO_THROW(onnx::checker::check_model(proto));
    EXPECT_EQ(metadata(proto, "dpfermi.card"), describe_card(model));
    EXPECT_EQ(metadata(proto, "dpfermi.statement"), to_json(model.privacy));
    EXPECT_EQ(metadata(proto, "dpfermi.warning").empty(), !model.rule.repair);
  }
}

TEST(ExportOnnx, OffersLabelAndProbabilitiesAndNoProxy) {
  const onnx::ModelProto proto = parsed(repaired_income_model());
  ASSERT_EQ(proto.graph().output_size(), 2);
  EXPECT_EQ(proto.graph().output(0).name(), "label");
  EXPECT_EQ(proto.graph().output(1).name(), "probabilities");
}

TEST(ExportOnnx, GivesTheSameBytesTwice) {
  EXPECT_EQ(export_onnx(repaired_income_model()).value(),
            export_onnx(repaired_income_model()).value());
}

TEST(ExportOnnx, KeepsHostileNames) {
  const onnx::ModelProto proto = parsed(hostile_model());
  EXPECT_EQ(proto.graph().input(0).name(), "a\"'; DROP TABLE t; --");
}

TEST(ExportSql, DoublesQuotesInNamesAndTexts) {
  const std::string sql = export_sql(hostile_model(), "t\"; DROP TABLE x; --").value();
  EXPECT_THAT(sql, HasSubstr("CAST(t.\"a\"\"'; DROP TABLE t; --\" AS float8)"));
  EXPECT_THAT(sql, HasSubstr(" WHEN 'o''\"x' THEN"));
  EXPECT_THAT(sql, HasSubstr("AS \"probability_hi'gh\"\"\""));
  EXPECT_THAT(sql, HasSubstr("FROM \"t\"\"; DROP TABLE x; --\" AS t\n"));
}

TEST(ExportSql, NamesAColumnOnceForAllOfItsCategories) {
  const std::string sql = export_sql(income_model(), "t").value();
  const std::size_t first = sql.find("t.\"job\"");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(sql.find("t.\"job\"", first + 1), std::string::npos);
}

TEST(ExportSql, KeepsTheCardInsideComments) {
  TrainedModel model = hostile_model();
  model.training.data = "x\n; DROP TABLE people; --";
  const std::string sql = export_sql(model, "t").value();
  std::istringstream lines(sql);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with("; DROP")) << line;
  }
  EXPECT_THAT(export_sql(repaired_income_model(), "t").value(), HasSubstr("-- WARNING: "));
  EXPECT_THAT(sql, Not(HasSubstr("WARNING")));
}

TEST(ExportForm, ReadsMarkersBeforeRecodesBeforeValues) {
  TrainedModel model = income_model();
  model.schema.columns["job"].recode = {{"?", "cook"}, {"clerk", "cook"}, {"chef", "baker"}};
  const ExportForm form = export_form(model).value();
  ASSERT_EQ(form.categories.size(), 1U);
  std::map<std::string, std::string> meanings;
  for (const auto& [text, code] : form.categories[0].meanings) {
    meanings[text] = form.categories[0].values[code];
  }
  const std::map<std::string, std::string> expected = {{"cook", "cook"}, {"clerk", "cook"}};
  EXPECT_EQ(meanings, expected);
}

TEST(ExportForm, KnowsWhichNumbersStandForNoValue) {
  TrainedModel model = income_model();
  model.schema.format.missing = {"", "-9", "?"};
  EXPECT_THAT(export_form(model).value().missing_numbers, ElementsAre(-9));
}

TEST(ExportJson, NamesEveryCoefficient) {
  const TrainedModel model = income_model();
  const auto json = nlohmann::json::parse(export_json(model).value());
  const auto& layer = json["members"][0][0];
  std::vector<std::string> names;
  for (const auto& entry : layer["coefficients"]) {
    names.push_back(entry["column"].get<std::string>() +
                    (entry.contains("value") ? "=" + entry["value"].get<std::string>() : ""));
  }
  EXPECT_EQ(names, model.pipeline.column_names());
  EXPECT_EQ(layer["coefficients"][0]["weights"][1], static_cast<double>(model.theta[0]));
  EXPECT_EQ(layer["constant"][1], static_cast<double>(model.theta.back()));
}

}  // namespace
}  // namespace dpfermi
