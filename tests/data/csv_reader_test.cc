#include "data/csv_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "data/structural_index.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Parsed {
  std::vector<std::string> names;
  Rows rows;
  std::string error;
};

Parsed drain(Result<CsvReader> reader) {
  Parsed parsed;
  if (!reader) {
    parsed.error = reader.error().message;
    return parsed;
  }
  parsed.names = reader->names();
  while (true) {
    const Result<bool> more = reader->next();
    if (!more) parsed.error = more.error().message;
    if (!more || !*more) return parsed;
    parsed.rows.emplace_back(reader->fields().begin(), reader->fields().end());
  }
}

Parsed parse(const std::string& text, CsvFormat format = {}, const HeaderHint& hint = {}) {
  return drain(CsvReader::open(memory_source("t.csv", text), std::move(format), hint));
}

TEST(CsvReader, ReadsPlainTables) {
  const Parsed parsed = parse("a,b\n1,x\n2,y\n");
  EXPECT_EQ(parsed.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed.rows, (Rows{{"1", "x"}, {"2", "y"}}));
  EXPECT_EQ(parsed.error, "");
}

TEST(CsvReader, ReadsQuotedFields) {
  const Parsed parsed =
      parse("a,b,c\n\"x, y\",\"say \"\"hi\"\"\",\"two\nlines\"\n\"\", \"z\" ,w\n");
  EXPECT_EQ(parsed.rows, (Rows{{"x, y", "say \"hi\"", "two\nlines"}, {"", "z", "w"}}));
  EXPECT_EQ(parsed.error, "");
}

TEST(CsvReader, KeepsQuotesInsideUnquotedFields) {
  EXPECT_EQ(parse("a,b\n5\" pipe,x\n").rows, (Rows{{"5\" pipe", "x"}}));
}

TEST(CsvReader, ToleratesLineEndingsMarksAndBlankLines) {
  const Rows expected = {{"1", "x"}, {"2", "y"}};
  EXPECT_EQ(parse("a,b\r\n1,x\r\n2,y\r\n").rows, expected);
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a,b\n1,x\n2,y")
                .rows,
            expected);
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "a,b\n1,x\n2,y")
                .names[0],
            "a");
  EXPECT_EQ(parse("a,b\n\n1,x\n  \n2,y\n\n\r\n\n").rows, expected);
  EXPECT_EQ(parse("\"a\",\"b\"\r\n\"1\",\"x\"\r\n\"2\",\"y\"\r\n").rows, expected);
}

TEST(CsvReader, FindsTheDelimiter) {
  const Rows expected = {{"1,5", "x"}, {"2,5", "y"}};
  EXPECT_EQ(parse("a;b\n1,5;x\n2,5;y\n").rows, expected);
  EXPECT_EQ(parse("a\tb\n1,5\tx\n2,5\ty\n").rows, expected);
  EXPECT_EQ(parse("39, State-gov\n50, Private\n").rows,
            (Rows{{"39", "State-gov"}, {"50", "Private"}}));
  EXPECT_EQ(parse("word\nx\ny\n").rows, (Rows{{"x"}, {"y"}}));
}

TEST(CsvReader, DecidesAboutTheHeader) {
  EXPECT_EQ(parse("1,x\n2,y\n").names, (std::vector<std::string>{"column1", "column2"}));
  EXPECT_EQ(parse("1,x\n2,y\n").rows.size(), 2U);
  EXPECT_EQ(parse("a,b\nc,d\n", {.header = HeaderRule::kNo}).rows.size(), 2U);
  EXPECT_EQ(parse("1,2\n3,4\n", {.header = HeaderRule::kYes}).names[0], "1");
  const CsvFormat named{.names = {"a", "b"}};
  EXPECT_EQ(parse("1,x\n", named).rows.size(), 1U);
  EXPECT_EQ(parse("a,b\n1,x\n", named).rows.size(), 1U);
}

TEST(CsvReader, SkipsLinesAndComments) {
  const Rows expected = {{"25", "Private"}};
  EXPECT_EQ(parse("|1x3 Cross validator\n25, Private\n", {.skip_lines = 1}).rows, expected);
  EXPECT_EQ(parse("|1x3, \"Cross\n25, Private\n|end", {.comment = "|"}).rows, expected);
  EXPECT_EQ(parse("only\n", {.skip_lines = 9}).error,
            "t.csv: is empty; expected a table with at least one row");
}

TEST(CsvReader, DistinguishesCommentsFromRowsByTheirFieldsWhereTheFirstColumnIsProtected) {
  const auto rows = [](const std::string& text) {
    auto reader =
        CsvReader::open(memory_source("t.csv", text), {.names = {"s", "x"}, .comment = "|"},
                        {.first_is_protected = true});
    Rows all;
    while (reader->next().value())
      all.emplace_back(reader->fields().begin(), reader->fields().end());
    return all;
  };
  const Rows expected = {{"|a", "1"}, {"b", "2"}};
  EXPECT_EQ(rows("|note\n|a,1\n|one,two,three\nb,2\n"), expected);
}

TEST(CsvReader, TakesTextsForNamesThoughOneInTenRepeatsAnother) {
  const std::string names = "a,b,c,d,e,f,g,h,i";
  EXPECT_EQ(parse(names + ",a\n1,2,3,4,5,6,7,8,9,10\n", {}, {.repeats = true}).names.back(), "a.2");
  EXPECT_EQ(parse(names + ",a,a\n1,2,3,4,5,6,7,8,9,10,11\n").names.front(), "column1");
}

TEST(CsvReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(parse("").error, "t.csv: is empty; expected a table with at least one row");
  EXPECT_EQ(
      parse("a,b\n1,x\n2\n").error,
      "t.csv, line 3: 1 field where the table has 2 columns; correct the line or quote fields "
      "that contain ','");
  EXPECT_EQ(parse("a,b\n1,\"x\n2,y\n").error,
            "t.csv, line 2: a quoted field is never closed; add the missing '\"'");
  EXPECT_EQ(parse("a,b\n1,\"x\"y\n").error,
            "t.csv, line 2: text follows a closing quote; double the quotes inside a quoted field");
  EXPECT_EQ(parse("a,a\n1,2\n", {.header = HeaderRule::kYes}).error,
            "t.csv, line 1: column names that appear twice: 'a' (column 2 is read as 'a.2'); drop "
            "a column with "
            "`drop` if it repeats the other, or give it a type if it does not");
  EXPECT_EQ(parse("1,2\n", {.names = {"a", "a"}}).error,
            "t.csv, line 1: the column name 'a' appears twice; rename one of them");
  EXPECT_EQ(parse("caf\xE9,b\n1,2\n").error,
            "t.csv, line 1: the column name 'caf\\xE9' is not UTF-8; convert the file with iconv");
  EXPECT_EQ(parse(std::string("\xFF\xFE"
                              "a\0",
                              4))
                .error,
            "t.csv: is UTF-16 text; save it as UTF-8 first");
}

TEST(CsvReader, DistinguishesColumnsOfOneNameWhereTheSecondIsExpected) {
  const auto names = [](const std::string& text, std::vector<std::string> expected) {
    const auto reader =
        CsvReader::open(memory_source("t.csv", text), {}, {.expected = std::move(expected)});
    return reader ? reader->names() : std::vector<std::string>{reader.error().message};
  };
  const std::vector<std::string> told = {"a", "b", "a.2", "a.3"};
  EXPECT_EQ(names("a,b,a,a\n1,2,3,4\n", {"b", "a.2", "a.3"}), told);
  EXPECT_NE(names("a,b,a,a\n1,2,3,4\n", {"b", "a.2"}), told);
  // A column that is called so already stays what it is.
  EXPECT_NE(names("a,a.2,a,b\n1,2,3,4\n", {"a.2", "b"}).size(), 4U);
}

TEST(CsvReader, CountsLinesThroughQuotedNewlinesAndComments) {
  const Parsed parsed = parse("a,b\n\"1\n1\",x\n#c\n\n3\n", {.comment = "#"});
  EXPECT_TRUE(parsed.error.starts_with("t.csv, line 6:")) << parsed.error;
}

TEST(CsvReader, RefusesEndlessRecords) {
  EXPECT_EQ(parse("a,b\n" + std::string(CsvReader::kMaxRecordBytes + 10, 'x')).error,
            "t.csv, line 2: the record is longer than 16 MiB; is a quote never closed, or is this "
            "not a table?");
}

/// Hands out the text a few bytes at a time, as pipes do.
class TricklingSource final : public ByteSource {
 public:
  TricklingSource(std::string text, std::size_t step)
      : ByteSource("t.csv"), text_(std::move(text)), step_(step) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t count = std::min({step_, buffer.size(), text_.size() - position_});
    std::copy_n(text_.data() + position_, count, buffer.data());
    position_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t step_;
  std::size_t position_ = 0;
};

/// A table larger than several blocks, so that records, quotes and CRLF pairs straddle their ends.
TEST(CsvReader, DoesNotCareWhereBlocksEnd) {
  std::mt19937 random(7);
  Rows expected;
  std::string text = "a,b,c\r\n";
  while (text.size() < 1'500'000) {
    const std::string plain(random() % 40, 'p');
    const std::string quoted =
        std::string(random() % 900, 'q') + "\",\n" + std::to_string(random());
    std::string escaped = quoted;
    escaped.insert(escaped.find('"'), "\"");
    expected.push_back({"1" + plain, quoted, "z"});
    text += "1" + plain + ",\"" + escaped + "\", z\r\n";
  }
  EXPECT_EQ(parse(text).rows, expected);
  EXPECT_EQ(drain(CsvReader::open(std::make_unique<TricklingSource>(text, 4093), {})).rows,
            expected);
}

TEST(CsvReader, ReadsGzipOfSeveralMembersAndRefusesACutOne) {
  const test::TempFolder folder;
  const std::string path = (folder / "t.csv").string();
  for (const char* mode : {"wb", "ab"}) {
    gzFile file = gzopen(path.c_str(), mode);
    const std::string part = mode[0] == 'w' ? "a,b\n1,x\n" : "2,y\n";
    gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
    gzclose(file);
  }
  EXPECT_EQ(drain(CsvReader::open(open_source(path).value(), {})).rows,
            (Rows{{"1", "x"}, {"2", "y"}}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  EXPECT_EQ(drain(CsvReader::open(open_source(path).value(), {})).error,
            path + ": the gzip data is cut short; copy or download the file again");
  std::ofstream(path, std::ios::in | std::ios::out).seekp(12) << "XXXX";
  EXPECT_NE(drain(CsvReader::open(open_source(path).value(), {})).error.find("damaged"),
            std::string::npos);
}

TEST(StructuralIndex, AgreesWithThePlainScan) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    std::string text(random() % 700, ' ');
    for (char& c : text) c = "ab,\n\";\t\xE9"[random() % 8];
    std::vector<std::uint32_t> fast(text.size() + 64);
    std::vector<std::uint32_t> plain;
    fast.resize(find_structurals(text, ',', fast));
    for (std::uint32_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n' || text[i] == '"' || text[i] == ',') plain.push_back(i);
    }
    ASSERT_EQ(fast, plain) << trial;
  }
}

}  // namespace
}  // namespace dpfermi
