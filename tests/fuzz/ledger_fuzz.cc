// Any bytes are a ledger or an error, never a crash. Bytes that begin as a database does are opened
// as a ledger file. Everything else is a chain, one entry a line: an entry that is read is written
// and read back unchanged, and the rules of the chain accept or refuse it.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "dpfermi/privacy/ledger/ledger_file.h"
#include "privacy/ledger/chain_state.h"
#include "temp_folder.h"

namespace {

using namespace dpfermi;

void check_file(const std::string& bytes) {
  const test::TempFolder folder;
  const std::filesystem::path path = folder / "ledger.db";
  std::ofstream(path, std::ios::binary) << bytes;
  if (const auto ledger = LedgerFile::open(path)) {
    if (!ledger->budgets() || !ledger->head()) std::abort();
  } else if (ledger.error().message.find('\n') != std::string::npos) {
    std::abort();
  }
}

void check_chain(const std::string& text) {
  std::istringstream lines(text);
  ledger::State state;
  std::uint64_t sequence = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto entry = ledger::entry_from_json(line);
    if (!entry) {
      if (entry.error().message.find('\n') != std::string::npos) std::abort();
      continue;
    }
    const std::string written = ledger::entry_to_json(*entry);
    const auto again = ledger::entry_from_json(written);
    if (!again || ledger::entry_to_json(*again) != written) std::abort();
    if (state.apply(sequence + 1, entry->body)) ++sequence;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("SQLite format 3")) {
    check_file(text);
  } else {
    check_chain(text);
  }
  return 0;
}
