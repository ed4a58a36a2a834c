#pragma once

/// The secret key beside a ledger, readable by its owner alone. Fingerprints of records that are
/// themselves protected are HMACs under it, so that guesses about the data cannot be tested against
/// the ledger.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi::ledger {

std::filesystem::path key_path(const std::filesystem::path& ledger);

/// Names a key without giving it away.
Result<std::string> key_id(const std::string& key);

/// The key of the ledger at `ledger`. Refuses a missing key, one that others can read, and one that
/// is not the key with this id: with another key the same data would look new.
Result<std::string> read_key(const std::filesystem::path& ledger, const std::string& expected_id);

/// A fresh key, durable but pending: accept_key() gives it its name once the ledger exists. A key
/// under its final name therefore proves that there was a ledger.
Result<std::string> make_pending_key(const std::filesystem::path& ledger);
Status accept_key(const std::filesystem::path& ledger);

/// The bytes that a file spells in hex on its first line. Refuses a file that others can read and
/// one that does not hold `bytes` bytes. `advice`: what to do where there is none.
Result<std::string> read_secret(const std::filesystem::path& path, std::size_t bytes,
                                std::string_view advice);

/// A durable file that its owner alone can read. Refused where there is one.
Status write_new_secret(const std::filesystem::path& path, const std::string& text);

/// Syncs a folder, so that names made or changed in it survive a power cut.
Status sync_folder(const std::filesystem::path& folder);

}  // namespace dpfermi::ledger
