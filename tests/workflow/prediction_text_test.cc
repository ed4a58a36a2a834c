// Predictions as CSV and as JSON.

#include "workflow/prediction_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace dpfermi {
namespace {

TrainedModel two_classes() {
  TrainedModel model;
  model.classes = {"no", "yes, now"};
  return model;
}

PredictedRows two_rows() {
  PredictedRows predicted;
  predicted.predictions = {.probabilities = {0.25F, 0.75F, 1, 0}, .decisions = {1, 0}};
  return predicted;
}

/// The same rows with an id each, the second of which is not UTF-8.
PredictedRows two_persons() {
  PredictedRows predicted = two_rows();
  predicted.table.schema.id = "who";
  predicted.table.units = {1, 0};
  predicted.table.unit_names = {"Zo\xEB", " \"A\" "};
  return predicted;
}

std::string csv_of(const PredictedRows& predicted) {
  std::ostringstream out;
  write_csv(two_classes(), predicted, out);
  return out.str();
}

TEST(PredictionText, CsvHasALineForEveryRow) {
  EXPECT_EQ(csv_of(two_rows()),
            "label,probability_no,\"probability_yes, now\"\n"
            "\"yes, now\",0.25,0.75\n"
            "no,1,0\n");
}

TEST(PredictionText, CsvBeginsWithTheIdOfARow) {
  EXPECT_EQ(csv_of(two_persons()),
            "who,label,probability_no,\"probability_yes, now\"\n"
            "\" \"\"A\"\" \",\"yes, now\",0.25,0.75\n"
            "Zo\xEB,no,1,0\n");
}

TEST(PredictionText, JsonHasAnEntryForEveryRow) {
  const Json json = json_of(two_classes(), two_rows());
  ASSERT_EQ(json.at("rows").size(), 2U);
  EXPECT_EQ(json.at("rows")[0].dump(),
            R"({"label":"yes, now","probabilities":{"no":0.25,"yes, now":0.75}})");
  EXPECT_EQ(json.at("rows")[1].at("label"), "no");
}

TEST(PredictionText, JsonOfAnIdThatIsNotUtf8CanBeWritten) {
  const Json json = json_of(two_classes(), two_persons());
  EXPECT_EQ(json.at("rows")[0].at("id"), " \"A\" ");
  EXPECT_NE(json_text(json).find("\"id\": \"Zo\xEF\xBF\xBD\""), std::string::npos);
}

TEST(PredictionText, CountsEveryLabel) {
  const std::vector<std::uint16_t> decisions{1, 1, 0};
  EXPECT_EQ(label_counts(two_classes(), decisions).dump(),
            R"({"rows":3,"labels":{"no":1,"yes, now":2}})");
}

}  // namespace
}  // namespace dpfermi
