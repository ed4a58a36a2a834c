#include "data/column.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "data/level_table.h"

namespace dpfermi {
namespace {

TEST(CodeVector, WidensWithoutChangingWhatItHolds) {
  CodeVector codes;
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t code : {0U, CodeVector::kMissing, 254U, 255U, 256U, CodeVector::kMissing,
                                   65'534U, 65'535U, 65'536U, 4'000'000'000U}) {
    codes.push_back(code);
    expected.push_back(code);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(codes[i], expected[i]) << code;
  }
  codes.truncate(codes.size() - 1);
  codes.push_back(7);
  codes.shrink_to_fit();
  EXPECT_EQ(codes.size(), expected.size());
  EXPECT_EQ(codes[codes.size() - 1], 7U);
}

TEST(CodeVector, AppendsManyCodesAsItDoesOneByOne) {
  for (const std::uint32_t limit : {200U, 70'000U, 300U}) {
    CodeVector one_by_one;
    CodeVector at_once;
    std::mt19937 random(limit);
    for (std::size_t block = 0; block < 40; ++block) {
      std::vector<std::uint32_t> codes(block * 50);
      for (std::uint32_t& code : codes) {
        code =
            random() % 9 == 0 ? CodeVector::kMissing : static_cast<std::uint32_t>(random() % limit);
        one_by_one.push_back(code);
      }
      at_once.append(codes, limit);
    }
    ASSERT_EQ(at_once.size(), one_by_one.size());
    for (std::size_t i = 0; i < at_once.size(); ++i) ASSERT_EQ(at_once[i], one_by_one[i]);
  }
}

TEST(CodeVector, HoldsMillionsInReservedAndGrownMemory) {
  for (const std::size_t reserved : {0U, 1'000'000U}) {
    CodeVector codes;
    codes.reserve(reserved);
    for (std::uint32_t i = 0; i < 1'000'000; ++i) codes.push_back(i % 300);
    codes.shrink_to_fit();
    ASSERT_EQ(codes.size(), 1'000'000U);
    for (std::uint32_t i = 0; i < 1'000'000; i += 997) ASSERT_EQ(codes[i], i % 300);
  }
}

/// Against a plain map: every length around the 4, 8 and 16 byte branches, alphabets so small that
/// texts differ in one place only.
TEST(LevelTable, AgreesWithAMap) {
  std::mt19937 random(5);
  LevelTable table;
  std::unordered_map<std::string, std::uint32_t> reference;
  for (int i = 0; i < 200'000; ++i) {
    std::string text(random() % 40, 'a');
    if (!text.empty()) text[random() % text.size()] = static_cast<char>(random());
    const auto [entry, fresh] =
        reference.emplace(text, static_cast<std::uint32_t>(reference.size()));
    ASSERT_EQ(table.find(text), fresh ? LevelTable::kAbsent : entry->second);
    ASSERT_EQ(table.insert(text), entry->second);
  }
  ASSERT_EQ(table.size(), reference.size());
  for (const auto& [text, level] : reference) ASSERT_EQ(table.levels()[level], text);
}

}  // namespace
}  // namespace dpfermi
