#!/usr/bin/env python3
"""Writes a ledger with a text in its entries replaced, and its key beside it, as a forger would who takes the
guards of the table away and puts them back.

    edit_ledger.py LEDGER FORGED OLD NEW
"""

import shutil
import sqlite3
import sys

ledger, forged, old, new = sys.argv[1:]
for ending in ("", ".key"):
    shutil.copy(ledger + ending, forged + ending)
connection = sqlite3.connect(forged)
guard, = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'entry_no_update'").fetchone()
connection.execute("DROP TRIGGER entry_no_update")
changed = connection.execute("UPDATE entry SET body = replace(body, ?, ?) WHERE instr(body, ?)", (old, new, old)).rowcount
connection.execute(guard)
connection.commit()
sys.exit(0 if changed > 0 else 1)
