#pragma once

/// The layout of the database. Entries are never changed: the triggers stop accidents, the chain
/// shows everything else. The chain cannot show that its end is missing; the head, in a page of its
/// own, does.

namespace dpfermi::ledger {

inline constexpr int kApplicationId = 0x64704c67;  ///< "dpLg"
inline constexpr int kSchemaVersion = 1;

inline constexpr const char* kSchema[] = {
    "CREATE TABLE entry (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
    "CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry "
    "BEGIN SELECT RAISE(ABORT, 'ledger entries are never removed'); END",
    "CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry "
    "BEGIN SELECT RAISE(ABORT, 'ledger entries are never changed'); END",
    "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, "
    "hash TEXT NOT NULL) STRICT",
};

}  // namespace dpfermi::ledger
