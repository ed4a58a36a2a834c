#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "data/all_rows.h"
#include "data/table_reader.h"
#include "preprocess/pipeline.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::all_rows;

Table read_bounded(const std::string& text) {
  Schema schema;
  schema.columns["bounded"].bounds = {{-0.1, 0.3}};
  schema.columns["c"].recode = {{"rot", "red"}};
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema).value();
}

const std::string kText =
    "n,bounded,same,c\n"
    "0.1,0.1,7,\"say \"\"so\"\"\"\n"
    "0.2,0.9,7,rot\n"
    "?,-5,7,?\n"
    "1e300,0.25,7,caf\xC3\xA9\n";

TEST(PipelineJson, ReadsBackExactly) {
  const Table table = read_bounded(kText);
  const Pipeline pipeline = Pipeline::fit(table, std::vector<std::uint32_t>{0, 1, 2}).value();
  const auto again = parse_pipeline(to_json(pipeline));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(pipeline));
  EXPECT_EQ(again->column_names(), pipeline.column_names());
  const Dataset one = pipeline.apply(table, all_rows(table))->data;
  const Dataset two = again->apply(table, all_rows(table))->data;
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t j = 0; j < pipeline.columns(); ++j) EXPECT_EQ(one.x.at(i, j), two.x.at(i, j));
  }
}

TEST(PipelineJson, KeepsEveryBitOfANumber) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    NumericFeature feature{.column = "n"};
    Standardizer& z = feature.standardizer;
    z.centre = std::ldexp(std::normal_distribution()(random), trial - 100);
    z.scale = std::ldexp(std::uniform_real_distribution()(random) + 1e-9, 100 - trial);
    z.bounds = {z.centre, z.centre + z.scale + 1 + std::abs(z.centre)};
    z.provenance = static_cast<Provenance>(trial % 3);
    z.constant = trial % 2 == 0;
    const auto read = parse_pipeline(to_json(Pipeline::create({feature}, {}).value()));
    const Standardizer& back = read->numeric()[0].standardizer;
    EXPECT_EQ(back.centre, z.centre);
    EXPECT_EQ(back.scale, z.scale);
    EXPECT_EQ(back.bounds, z.bounds);
    EXPECT_EQ(back.provenance, z.provenance);
    EXPECT_EQ(back.constant, z.constant);
  }
}

TEST(PipelineJson, RefusesWhatCouldNotHaveBeenFitted) {
  const Table table = read_bounded(kText);
  const std::string good =
      to_json(Pipeline::fit(table, std::vector<std::uint32_t>{0, 1, 2}).value());
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), instead);
    const auto read = parse_pipeline(text);
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(with("\"scale\": 1.0", "\"scale\": 0"), HasSubstr("'same' are too large"));
  EXPECT_THAT(with("\"scale\": 1.0", "\"scale\": -1"), HasSubstr("'same' are too large"));
  EXPECT_THAT(with("\"scale\": 1.0", "\"scale\": null"), HasSubstr("takes a number"));
  EXPECT_THAT(with("\"scale\": 1.0", "\"scale\": true"), HasSubstr("takes a number"));
  EXPECT_THAT(with("\"column\": \"same\"", "\"column\": \"n\""),
              HasSubstr("'n' is a feature twice"));
  EXPECT_THAT(with("-0.1,", "0.4,"), HasSubstr("'bounded'"));
  EXPECT_THAT(with("-0.1,", ""), HasSubstr("[low, high]"));
  EXPECT_THAT(with("\"public\"", "\"rumour\""), HasSubstr("'rumour'"));
  EXPECT_THAT(with("\"categorical\"", "\"catgorical\""), HasSubstr("'categorical'?"));
  EXPECT_FALSE(parse_pipeline("[]"));
}

TEST(Pipeline, SaysWhenNumbersCannotBeScaled) {
  const Table table = read_bounded("n,bounded,c\n1e308,0,red\n-1e308,0,red\n1e308,0,rot\n");
  EXPECT_THAT(Pipeline::fit(table, all_rows(table)).error().message,
              HasSubstr("`columns.bounds` 'n=0:100'"));
}

}  // namespace
}  // namespace dpfermi
