// As damage_test.cc, for every byte of the file.

#include <gtest/gtest.h>

#include "privacy/ledger/damage.h"

namespace dpfermi {
namespace {

using namespace test;

TEST(DamageSlow, EveryFlippedByteIsFoundOrHarmless) {
  const TempFolder folder;
  const fs::path path = folder / "ledger.db";
  make_sample_ledger(path);
  const std::vector<std::string> expected = entries_of(LedgerFile::open(path).value());
  const std::string good = read_bytes(path);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size() && !HasFailure(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (at % 3 == 0 ? 0xFF : 1 << (at % 8)));
    SCOPED_TRACE(at);
    refused += refused_or_intact(path, bytes, expected) ? 1 : 0;
  }
  EXPECT_GT(refused, good.size() / 4);
}

}  // namespace
}  // namespace dpfermi
