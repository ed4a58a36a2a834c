#include "artifact/sketch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sketch/synthetic.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::sketch_of;
using testing_support::synthetic;

StoredSketch stored_of(const Dataset& data) {
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  StoredSketch stored;
  stored.sketch = sketch_of(data, features, FairnessNotion::kEqualizedOdds, 1, 3);
  for (std::size_t j = 0; j < data.x.columns(); ++j) {
    stored.columns.push_back("x" + std::to_string(j));
  }
  stored.target = "income";
  stored.classes = {"low", "high"};
  stored.groups = {"a", "b"};
  stored.fingerprint = public_fingerprint(data, stored.columns).value();
  stored.held_out = HeldOut{0.25, 7};
  stored.data = "people.csv";
  stored.library_version = "1";
  return stored;
}

TEST(SketchFile, ReadsBackWhatWasWritten) {
  const Dataset data = synthetic({});
  const StoredSketch stored = stored_of(data);
  const std::string bytes = encode_sketch(stored).value();
  const StoredSketch again = decode_sketch(bytes, "a.sketch").value();
  EXPECT_EQ(again.sketch.sums.sums, stored.sketch.sums.sums);
  EXPECT_EQ(again.sketch.sums.noise, stored.sketch.sums.noise);
  EXPECT_EQ(again.sketch.features, stored.sketch.features);
  EXPECT_EQ(again.columns, stored.columns);
  EXPECT_EQ(again.groups, stored.groups);
  EXPECT_EQ(again.held_out->seed, 7U);
  EXPECT_EQ(to_json(again.sketch.statement), to_json(stored.sketch.statement));
  EXPECT_EQ(encode_sketch(again).value(), bytes);
}

TEST(SketchFile, NoDamageGoesUnnoticed) {
  const std::string bytes = encode_sketch(stored_of(synthetic({}))).value();
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(decode_sketch(damaged, "a.sketch").has_value()) << at;
    EXPECT_FALSE(decode_sketch(bytes.substr(0, at), "a.sketch").has_value()) << at;
  }
}

TEST(SketchFile, RefusesFeaturesThatCannotBe) {
  const StoredSketch good = stored_of(synthetic({}));
  const auto complaint = [&](FeatureKind kind, std::size_t extra) {
    StoredSketch bad = good;
    bad.sketch.features.kind = kind;
    bad.sketch.features.extra = extra;
    bad.sketch.sums.size = bad.columns.size() + extra + 1;
    const auto bytes = encode_sketch(bad);
    return bytes ? "accepted" : bytes.error().message;
  };
  EXPECT_EQ(complaint(FeatureKind::kEncoded, 0), "accepted");
  EXPECT_EQ(complaint(FeatureKind::kLabel, 1), "accepted");
  for (const auto& [kind, extra] : std::vector<std::pair<FeatureKind, std::size_t>>{
           {FeatureKind::kEncoded, 2},
           {FeatureKind::kLabel, 0},
           {FeatureKind::kLabel, 2},
           {FeatureKind::kFourier, SketchFeatures::kMostExtra + 1},
           {FeatureKind::kModel, ~std::size_t{0}}}) {
    EXPECT_THAT(complaint(kind, extra), HasSubstr("do not exist here")) << to_string(kind);
  }
}

TEST(SketchFile, TheFingerprintIsOfWhatIsPublic) {
  const Dataset data = synthetic({});
  const std::vector<std::string> columns(data.x.columns(), "x");
  const std::string print = public_fingerprint(data, columns).value();
  Dataset other = synthetic({});
  std::vector<std::uint16_t> flipped(data.rows(), 1);
  other.s = Protected(std::move(flipped));
  EXPECT_EQ(public_fingerprint(other, columns).value(), print);
  other.y[5] = other.y[5] == 0 ? 1 : 0;
  EXPECT_NE(public_fingerprint(other, columns).value(), print);
  other = synthetic({});
  other.x.row(3).numbers[0] += 1;
  EXPECT_NE(public_fingerprint(other, columns).value(), print);
  other = synthetic({});
  other.units[4] = 3;
  EXPECT_NE(public_fingerprint(other, columns).value(), print);
}

TEST(SketchFile, OtherDataAreRefusedByName) {
  const Dataset data = synthetic({});
  const StoredSketch stored = stored_of(data);
  EXPECT_TRUE(check_same_data(stored, data, stored.columns, stored.classes).has_value());
  std::vector<std::string> more = stored.columns;
  more[0] = "sex";
  EXPECT_THAT(check_same_data(stored, data, more, stored.classes).error().message,
              HasSubstr("no input 'sex'"));
  std::vector<std::string> fewer = stored.columns;
  fewer.pop_back();
  EXPECT_THAT(check_same_data(stored, data, fewer, stored.classes).error().message,
              HasSubstr("that these data lack"));
  EXPECT_THAT(check_same_data(stored, data, stored.columns, {"0", "1"}).error().message,
              HasSubstr("low, high"));
  const Dataset others = synthetic({400, 3, 4, 2, 2, 1, 9});
  EXPECT_THAT(check_same_data(stored, others, stored.columns, stored.classes).error().message,
              HasSubstr("other rows"));
}

TEST(SketchFile, TheCardSaysWhatTheFilePermits) {
  const std::string card = describe_card(stored_of(synthetic({})));
  EXPECT_THAT(card, HasSubstr("guessing"));
  EXPECT_THAT(card, HasSubstr("equalized odds, equal opportunity and demographic parity"));
  EXPECT_THAT(card, HasSubstr("fairness sketch: "));
  EXPECT_THAT(card, Not(HasSubstr("NaN")));
}

TEST(SketchFile, IsDistinguishedFromOtherFiles) {
  const test::TempFolder folder;
  const auto path = folder / "a.sketch";
  ASSERT_TRUE(write_sketch(stored_of(synthetic({})), path).has_value());
  EXPECT_TRUE(looks_like_sketch(path));
  EXPECT_TRUE(read_sketch(path).has_value());
  std::filesystem::remove(path);
  EXPECT_FALSE(looks_like_sketch(path));
}

}  // namespace
}  // namespace dpfermi
