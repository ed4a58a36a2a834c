#include "data/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "data/table_reader.h"

namespace dpfermi {
namespace {

Table make_table(const std::string& text, const std::string& id) {
  Schema schema;
  schema.target.column = "y";
  schema.id = id;
  schema.sensitive = {{.column = "s", .values = {"a", "b"}}};
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema).value();
}

void expect_partition(const Split& split, std::size_t rows) {
  std::vector<std::uint32_t> all(split.train);
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::ranges::sort(all);
  std::vector<std::uint32_t> expected(rows);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(all, expected);
}

void expect_blocks_whole(const Split& split, const std::vector<std::uint32_t>& blocks) {
  std::set<std::uint32_t> in_test;
  for (const std::uint32_t row : split.test) in_test.insert(blocks[row]);
  for (const std::uint32_t row : split.train) EXPECT_FALSE(in_test.contains(blocks[row])) << row;
}

TEST(Split, TiesPersonsOrDuplicatesTogether) {
  // Rows 0 and 1 are one person; 1 and 2 are identical except in s; 3 stands alone.
  const Table table = make_table("id,x,s,y\np,1,a,0\np,2,a,1\nq,2,b,1\nr,3,a,0\n", "id");
  auto blocks = split_blocks(table, {});
  EXPECT_EQ(blocks[0], blocks[1]);
  EXPECT_NE(blocks[1], blocks[2]);
  EXPECT_NE(blocks[0], blocks[3]);
  blocks = split_blocks(table, {.by_person = false, .by_duplicate = true});
  EXPECT_NE(blocks[0], blocks[1]);
  EXPECT_EQ(blocks[1], blocks[2]);
  blocks = split_blocks(table, {.by_person = false, .by_duplicate = false});
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), 4U);
}

// Thousands of rows with eight different contents: no copies, but a table of few values.
TEST(Split, ManyIdenticalRowsAreNotTied) {
  std::string csv = "x,s,y\n";
  for (int i = 0; i < 44; ++i) csv += i % 2 == 0 ? "1,a,0\n" : "2,b,1\n";
  csv += "3,a,0\n3,a,0\n";
  const auto blocks = split_blocks(make_table(csv, ""), {});
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), 45U);
  EXPECT_EQ(blocks[44], blocks[45]);
}

TEST(Split, IsAPartitionOfTheRightSizeAndRepeatsUnderASeed) {
  std::vector<std::uint32_t> blocks(1000);
  std::iota(blocks.begin(), blocks.end(), 0U);
  const Split split = split_rows(blocks, 0.25, 7).value();
  EXPECT_EQ(split.test.size(), 250U);
  expect_partition(split, blocks.size());
  EXPECT_EQ(split_rows(blocks, 0.25, 7)->test, split.test);
  EXPECT_NE(split_rows(blocks, 0.25, 8)->test, split.test);
}

TEST(Split, NeverCutsABlock) {
  std::vector<std::uint32_t> blocks(999);
  for (std::uint32_t i = 0; i < blocks.size(); ++i) blocks[i] = (i * i) % 97;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Split split = split_rows(blocks, 0.3, seed).value();
    expect_partition(split, blocks.size());
    expect_blocks_whole(split, blocks);
  }
}

TEST(Split, RefusesWhatCannotBeSplit) {
  const std::vector<std::uint32_t> one_block(10, 0);
  EXPECT_FALSE(split_rows(one_block, 0.25, 1));
  EXPECT_FALSE(split_rows(std::vector<std::uint32_t>{0, 1}, 1.5, 1));
}

/// The split a seed stands for is part of every published result: it must not change by accident.
TEST(Split, FollowsTheGoldenOrder) {
  std::vector<std::uint32_t> blocks(12);
  std::iota(blocks.begin(), blocks.end(), 0U);
  const Split split = split_rows(blocks, 0.34, 1).value();
  EXPECT_THAT(split.test, testing::ElementsAre(3, 4, 5, 10));
}

TEST(Folds, KeepBlocksWholeAndAreOfEvenSize) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < 1000; ++i) blocks.push_back(i / 3);
  const std::vector<std::uint32_t> folds = deal_folds(blocks, 5, 1);
  std::vector<std::size_t> sizes(5);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    ++sizes.at(folds[i]);
    if (i % 3 > 0) {
      EXPECT_EQ(folds[i], folds[i - 1]);
    }
  }
  for (const std::size_t size : sizes) EXPECT_NEAR(static_cast<double>(size), 200, 3);
  EXPECT_EQ(deal_folds(blocks, 5, 1), folds);
  EXPECT_NE(deal_folds(blocks, 5, 2), folds);
}

TEST(Folds, TieIdenticalEncodedRowsAndPersons) {
  Dataset data;
  data.x = HybridMatrix(5, 1, 1, 3);
  for (std::size_t i = 0; i < 5; ++i) {
    data.x.row(i).numbers[0] = i == 4 ? 1.0F : (i == 1 ? -0.0F : 0.0F);
    data.x.row(i).ones[0] = static_cast<std::uint16_t>(i == 2 ? 2 : 1);
    data.units.push_back(static_cast<std::uint32_t>(i / 2));
  }
  data.y = {0, 0, 0, 1, 0};
  data.unit_count = 3;
  // Rows 0 and 1 are alike; 2 differs in its category, 3 in its label, 4 in its number.
  std::vector<std::uint32_t> blocks = split_blocks(data);
  EXPECT_EQ(blocks[0], blocks[1]);
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), 4);
  data.persons = true;
  blocks = split_blocks(data);
  EXPECT_EQ(blocks[2], blocks[3]);
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), 3);
}

}  // namespace
}  // namespace dpfermi
