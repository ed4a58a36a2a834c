#!/usr/bin/env python3
"""Changes the epsilon that a model file promises and gives it a fresh checksum, as a forger would.

    forge_statement.py MODEL FORGED EPSILON
"""

import hashlib
import json
import sys

data = open(sys.argv[1], "rb").read()
first, rest = data.split(b"\n", 1)
size = int(first.split()[2])
header = json.loads(rest[:size])
header["privacy"]["epsilon"] = float(sys.argv[3])
text = json.dumps(header, indent=2).encode()
body = b"%s %d\n%s%s" % (first.rsplit(b" ", 1)[0], len(text), text, rest[size:-73])
open(sys.argv[2], "wb").write(body + b"\nsha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n")
