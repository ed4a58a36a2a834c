// Rows of accounting questions: those of the golden file are read as an independent reader reads
// them, and a wrong row is told from one that is not supported.

#include "privacy/accounting_row.h"

#include <gtest/gtest.h>

#include "privacy/accountant/golden.h"

namespace dpfermi {
namespace {

TEST(AccountingRow, OfTheGoldenFileIsTheEventOfItsOwnReader) {
  std::size_t compared = 0;
  for (const golden::Json& row : golden::load("golden_accounting.json")) {
    if (!row.contains("delta")) continue;  // Rényi divergences of an order
    const auto question = parse_accounting_row(Json::parse(row.dump()));
    ASSERT_TRUE(question) << row << question.error().message;
    EXPECT_EQ(to_json(question->event), to_json(golden::event_of(row))) << row;
    EXPECT_EQ(question->delta, row.at("delta").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 391U);
}

TEST(AccountingRow, ThatMakesNoSenseIsTheMistakeOfTheCaller) {
  for (const char* row :
       {R"({"mechanism": "laplace", "adjacency": "sensitive", "sigma": 5, "T": 1.5, "delta": 0})",
        R"({"mechanism": "laplace", "adjacency": "sensitive", "sigma": "5", "T": 1, "delta": 0})",
        R"({"mechanism": "poisson", "adjacency": "sensitive", "sigma": 5, "T": 1, "delta": 0.1})",
        R"({"mechanism": "heterogeneous", "adjacency": "sensitive", "delta": 0.1})",
        R"({"mechanism": 3, "adjacency": "sensitive", "delta": 0.1})", "7"}) {
    const auto question = parse_accounting_row(Json::parse(row));
    ASSERT_FALSE(question) << row;
    EXPECT_EQ(question.error().kind, ErrorKind::kUsage) << row;
  }
}

TEST(AccountingRow, OfAnUnknownMechanismIsNotSupported) {
  const auto question = parse_accounting_row(
      Json::parse(R"({"mechanism": "gossip", "adjacency": "sensitive", "sigma": 1, "T": 1,
                      "delta": 0.1})"));
  ASSERT_FALSE(question);
  EXPECT_EQ(question.error().kind, ErrorKind::kFailed);
  EXPECT_EQ(question.error().message, "mechanism 'gossip' is not supported");
}

}  // namespace
}  // namespace dpfermi
