#include "privacy/ledger/damage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "privacy/ledger/store.h"

namespace dpfermi {
namespace {

using namespace test;
using ::testing::HasSubstr;

constexpr const char* kNewRun = R"("run":"0123456789abcdef")";

class DamageTest : public ::testing::Test {
 protected:
  DamageTest() {
    make_sample_ledger(path_);
    expected_ = entries_of(LedgerFile::open(path_).value());
    bytes_ = read_bytes(path_);
  }

  /// The error of opening the ledger after `sql`.
  std::string error_after(const std::string& sql) {
    write_bytes(path_, bytes_);
    meddle(path_, sql);
    const auto file = LedgerFile::open(path_);
    return file ? "accepted" : file.error().message;
  }

  /// The error of opening the ledger after an attacker who knows the format has added entries.
  std::string error_with(const std::vector<std::string>& bodies) {
    LedgerHead head = {expected_.size(), expected_.back().substr(0, 64)};
    std::string sql;
    for (const std::string& body : bodies) {
      const std::string hash = ledger::chain_hash(head, body).value();
      head = {head.sequence + 1, hash};
      sql += fmt::format("INSERT INTO entry VALUES ({}, '{}', '{}');", head.sequence, body, hash);
    }
    return error_after(
        sql + fmt::format("UPDATE head SET seq = {}, hash = '{}'", head.sequence, head.hash));
  }

  /// `body` with the one place that matches `pattern` replaced.
  static std::string changed(const std::string& body, const std::string& pattern,
                             const std::string& replacement) {
    const std::regex place(pattern);
    EXPECT_EQ(std::distance(std::sregex_iterator(body.begin(), body.end(), place), {}), 1)
        << pattern << " in " << body;
    return std::regex_replace(body, place, replacement);
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "ledger.db";
  std::vector<std::string> expected_;
  std::string bytes_;
};

TEST_F(DamageTest, FlippedBitsAreFoundOrHarmless) {
  int refused = 0;
  int tried = 0;
  for (std::size_t at = 0; at < bytes_.size() && !HasFailure(); at += 23) {
    std::string bytes = bytes_;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    SCOPED_TRACE(at);
    refused += refused_or_intact(path_, bytes, expected_) ? 1 : 0;
    ++tried;
  }
  EXPECT_GT(refused, tried / 4);
}

TEST_F(DamageTest, ACutFileIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); size += 509) {
    EXPECT_TRUE(refused_or_intact(path_, bytes_.substr(0, size), expected_)) << size;
    EXPECT_FALSE(LedgerFile::open_or_create(path_)) << size;
  }
}

TEST_F(DamageTest, TornSectorsAreFoundOrHarmless) {
  std::string older;
  std::string newer = bytes_;
  while (older.size() != newer.size()) {  // a charge that did not need another page
    older = newer;
    ASSERT_TRUE(start(LedgerFile::open(path_).value()).charge(cost(0.1, 0)));
    newer = read_bytes(path_);
  }
  const std::vector<std::string> expected = entries_of(LedgerFile::open(path_).value());
  int refused = 0;
  for (std::size_t at = 0; at < newer.size(); at += 512) {
    std::string torn = newer;
    torn.replace(at, 512, older, at, 512);
    SCOPED_TRACE(at);
    refused += refused_or_intact(path_, torn, expected) ? 1 : 0;
  }
  EXPECT_GT(refused, 2);
}

TEST_F(DamageTest, VerificationNamesTheFirstBadEntry) {
  const std::string drop = "DROP TRIGGER entry_no_update; DROP TRIGGER entry_no_delete;";
  const auto layout_kept = [](const std::string& change) {
    return "PRAGMA writable_schema=ON; CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE type "
           "= 'trigger'; DELETE FROM sqlite_schema WHERE type = 'trigger'; PRAGMA "
           "writable_schema=RESET; " +
           change +
           "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM kept; PRAGMA "
           "writable_schema=RESET; DROP TABLE kept;";
  };
  EXPECT_THAT(error_after(drop), HasSubstr("the layout of the ledger is not version 1"));
  EXPECT_THAT(error_after("PRAGMA user_version=2"), HasSubstr("update dpfermi"));
  EXPECT_THAT(error_after("PRAGMA application_id=1"), HasSubstr("not a ledger"));
  EXPECT_THAT(error_after(layout_kept("UPDATE entry SET body = replace(body, '\"0.1\"', '\"0.01\"')"
                                      " WHERE seq = 5;")),
              HasSubstr("entry 5 does not match its hash"));
  EXPECT_THAT(error_after(layout_kept("DELETE FROM entry WHERE seq = 9;")),
              HasSubstr("entry 9 is missing"));
  EXPECT_THAT(error_after(layout_kept("DELETE FROM entry WHERE seq > 12;")),
              HasSubstr("entry 13 is missing"));
  EXPECT_THAT(error_after("INSERT INTO entry VALUES (1000, '{}', '')"),
              HasSubstr("entry 22 is missing"));
  EXPECT_EQ(error_after(layout_kept("")), "accepted") << "the meddling itself must be harmless";
}

TEST_F(DamageTest, EntriesThatBreakARuleAreFoundEvenIfTheirHashesFit) {
  ASSERT_EQ(expected_.size(), 21U);
  const std::string charge = expected_[16].substr(64);
  EXPECT_THAT(error_with({charge}), HasSubstr("entry 22 breaks a rule: run"));
  EXPECT_THAT(error_with({changed(charge, R"("run":"................")", kNewRun)}),
              HasSubstr("entry 22 breaks a rule: states epsilon 1.6"));
  EXPECT_THAT(error_with({"{}"}), HasSubstr("entry 22 cannot be read"));
  EXPECT_THAT(error_with({R"({"kind":"refund"})"}), HasSubstr("entry 22 is of the unknown kind"));
  EXPECT_THAT(error_with({R"({"kind":"cap","budget":"b","epsilon":"99","delta":"0","time":"",)"
                          R"("version":""})"}),
              HasSubstr("cannot be changed"));
}

TEST_F(DamageTest, AFormatIsReadAsItIsWritten) {
  const auto raised = [&](const std::string& format) {
    return error_with({R"({"kind":"format","format":)" + format + R"(,"time":"","version":""})"});
  };
  EXPECT_THAT(raised("4"), HasSubstr("entry 22 is of format 4, not 2 to 3"));
  EXPECT_THAT(raised("3"), HasSubstr("does not raise the format"));
  // 2^32 + 4, which a narrower number would cut to 4.
  EXPECT_THAT(raised("4294967300"), HasSubstr("is of format 4294967300"));
  for (const char* format : {"3.7", "-3", "1e300", "true", R"("3")", "null", "[3]"}) {
    EXPECT_THAT(raised(format), HasSubstr("entry 22 cannot be read")) << format;
  }
}

TEST_F(DamageTest, PlansThatDoNotAddUpAreFoundEvenIfTheirHashesFit) {
  std::string plan = changed(expected_[17].substr(64), R"("run":"................")", kNewRun);
  plan = changed(plan, R"("spent_epsilon":"2.1")", R"("spent_epsilon":"2.6")");
  plan = changed(plan, R"("spent_delta":"0.000009")", R"("spent_delta":"0.00001")");
  ASSERT_EQ(error_with({plan}), "accepted");
  const auto error = [&](const std::string& from, const std::string& to) {
    return error_with({changed(plan, from, to)});
  };
  const std::string another = "entry 22 breaks a rule: states another event than its parts make up";
  EXPECT_THAT(error(R"("steps":10)", R"("steps":11)"), HasSubstr(another));
  EXPECT_THAT(error(R"("spare":2)", R"("spare":1)"), HasSubstr(another));
  EXPECT_THAT(error(R"("count":12)", R"("count":1)"), HasSubstr(another));
  EXPECT_THAT(error(R"("kind":"composition")", R"("kind":"exact")"), HasSubstr(another));
  EXPECT_THAT(
      error(R"("sigma_over_distance":3.5\},"steps")", R"("sigma_over_distance":4},"steps")"),
      HasSubstr(another));
  EXPECT_THAT(error(R"("steps":10,"spare":2)", R"("steps":18446744073709551615,"spare":2)"),
              HasSubstr("overflows"));
  EXPECT_THAT(error(R"("parts":\[\{"purpose".*\],"in_blocks")", R"("parts":[],"in_blocks")"),
              HasSubstr("no parts"));
  EXPECT_THAT(error(R"("parts":\[\{"purpose".*\],"in_blocks")", R"("in_blocks")"),
              HasSubstr("entry 22 cannot be read"));
  EXPECT_THAT(error(R"("purpose":"steps")", R"("purpose":"")"), HasSubstr("purpose of a part"));
  EXPECT_THAT(error(R"("purpose":"steps","event":\{"adjacency":"sensitive")",
                    R"("purpose":"steps","event":{"adjacency":"replace-record")"),
              HasSubstr("adjacencies cannot be composed"));
}

TEST_F(DamageTest, ClaimsBeyondTheirPlanAreFoundEvenIfTheirHashesFit) {
  const std::uint64_t plan = start(LedgerFile::open(path_).value()).plan(training(10, 2)).value();
  bytes_ = read_bytes(path_);
  expected_ = entries_of(LedgerFile::open(path_).value());
  const auto claim = [](std::uint64_t charge, int part, int first, int count) {
    return fmt::format(
        R"({{"kind":"claim","charge":{},"part":{},"first":{},"count":{},"time":"","version":""}})",
        charge, part, first, count);
  };
  EXPECT_EQ(error_with({claim(plan, 0, 0, 1), claim(plan, 1, 0, 2), claim(plan, 1, 0, 10)}),
            "accepted");
  EXPECT_THAT(error_with({claim(plan, 0, 0, 2)}), HasSubstr("entry 23 breaks a rule"));
  EXPECT_THAT(error_with({claim(plan, 0, 0, 1), claim(plan, 0, 0, 1)}),
              HasSubstr("entry 24 breaks a rule: going on from step 0 needs 1 more releases of "
                        "'counts' but only 0 of the 1 charged ones are left"));
  EXPECT_THAT(error_with({claim(plan, 1, 0, 3), claim(plan, 1, 0, 1)}), HasSubstr("entry 24"));
  EXPECT_THAT(error_with({claim(plan, 1, 1, 1)}), HasSubstr("are not the next"));
  EXPECT_THAT(error_with({claim(plan, 2, 0, 1)}), HasSubstr("has 2 parts and no part 2"));
  EXPECT_THAT(error_with({claim(plan, -1, 0, 1)}), HasSubstr("entry 23 cannot be read"));
  EXPECT_THAT(error_with({claim(17, 0, 0, 1)}), HasSubstr("entry 17 is not a plan")) << "a charge";
  EXPECT_THAT(error_with({claim(18, 1, 9, 1)}), HasSubstr("is over")) << "committed";
}

TEST_F(DamageTest, TheTriggersStopAccidents) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(database, "DELETE FROM entry", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_NE(sqlite3_exec(database, "UPDATE entry SET hash = ''", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(entries_of(LedgerFile::open(path_).value()), expected_);
}

TEST_F(DamageTest, AnOpenLedgerNoticesThatItsFileIsGone) {
  const LedgerFile file = LedgerFile::open(path_).value();
  fs::rename(path_, folder_ / "elsewhere.db");
  const auto refused = start(file).charge(cost(0.1, 0));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("replaced or removed"));
}

TEST_F(DamageTest, ARemovedLedgerIsNotReplacedByAnEmptyOne) {
  fs::remove(path_);
  const auto refused = LedgerFile::open_or_create(path_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("ledger.db.key is still there"));
  EXPECT_THAT(LedgerFile::open(path_).error().message, HasSubstr("ledger.db.key is still there"));
  fs::remove(path_.string() + ".key");
  write_bytes(path_.string() + "-journal", "left over");
  EXPECT_FALSE(LedgerFile::open_or_create(path_)) << "its journal would be applied to the new one";
  fs::remove(path_.string() + "-journal");
  EXPECT_THAT(LedgerFile::open(path_).error().message, HasSubstr("there is no ledger"));
  EXPECT_TRUE(LedgerFile::open_or_create(path_));
}

TEST_F(DamageTest, AnOldCopyDoesNotContainWhatWasSeenSince) {
  const LedgerFile file = LedgerFile::open(path_).value();
  RunLedger run = start(file);
  ASSERT_TRUE(run.charge(cost(0.1, 0)));
  const LedgerHead seen = run.head().value();
  EXPECT_TRUE(file.check_contains(seen));
  const fs::path copy = folder_ / "copy.db";
  write_bytes(copy, bytes_);
  const LedgerFile old = LedgerFile::open(copy).value();
  EXPECT_THAT(old.check_contains(seen).error().message, HasSubstr("an old copy"));
  EXPECT_FALSE(RunLedger::resume(old, run.run_id(), seen));
}

TEST_F(DamageTest, OtherFilesAreNotLedgers) {
  write_bytes(path_, "a,b\n1,2\n");
  EXPECT_THAT(LedgerFile::open_or_create(path_).error().message, HasSubstr("not a ledger"));
  EXPECT_EQ(read_bytes(path_), "a,b\n1,2\n");
  EXPECT_THAT(LedgerFile::open_or_create(folder_.path()).error().message, HasSubstr("is a folder"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  EXPECT_TRUE(LedgerFile::open_or_create(":memory:"));
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(folder_ / ":memory:")) << "a name, not an order to keep nothing";
}

}  // namespace
}  // namespace dpfermi
