#!/usr/bin/env python3
"""Changes what a model or sketch file promises and gives it a fresh checksum, as a forger would.

    forge_statement.py FILE FORGED EPSILON [REMOVED]

REMOVED: releases of this purpose are taken off the list, so that the epsilon of the others fits.
"""

import hashlib
import json
import sys

data = open(sys.argv[1], "rb").read()
first, rest = data.split(b"\n", 1)
size = int(first.split()[2])
header = json.loads(rest[:size])
privacy = header["privacy"]
privacy["epsilon"] = float(sys.argv[3])
if len(sys.argv) > 4:
    kept = [release for release in privacy["releases"] if release["purpose"] != sys.argv[4]]
    if len(kept) == len(privacy["releases"]):
        sys.exit(f"{sys.argv[1]}: lists no release '{sys.argv[4]}'")
    privacy["releases"] = kept
text = json.dumps(header, indent=2).encode()
body = b"%s %d\n%s%s" % (first.rsplit(b" ", 1)[0], len(text), text, rest[size:-73])
open(sys.argv[2], "wb").write(body + b"\nsha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n")
