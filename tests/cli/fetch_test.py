#!/usr/bin/env python3
"""`datasets fetch` against a real HTTP server on loopback that misbehaves on request.

    fetch_test.py TOOL
"""

import gzip
import hashlib
import http.server
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

TOOL = os.path.abspath(sys.argv.pop(1))
TABLE = b"x,y\n" + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(200_000))


def zipped(name, contents):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, contents)
    return out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    files = {"/plain.csv": TABLE, "/table.zip": zipped("inner.csv", TABLE),
             "/table.csv.gz": gzip.compress(TABLE), "/broken.zip": zipped("inner.csv", TABLE)[:-300]}
    log = []          # (path, Range header, bytes sent)
    cuts = 0          # how many answers to cut in the middle
    ranges = True     # whether Range requests are honoured

    def do_GET(self):
        body = self.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        asked = self.headers.get("Range")
        start = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1)) if asked else 0
        if asked and self.ranges and start >= len(body):
            self.send_error(416)
            return
        if asked and self.ranges:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            body = body[start:]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if Handler.cuts > 0:
            Handler.cuts -= 1
            body = body[: len(body) // 2]
        self.wfile.write(body)
        self.log.append((self.path, asked, len(body)))
        self.close_connection = True

    def log_message(self, *_):
        pass


class FetchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name
        Handler.log, Handler.cuts, Handler.ranges = [], 0, True

    def fetch(self, source, *flags, sha256=None):
        file = {"name": "t.csv", "sha256": sha256 or hashlib.sha256(TABLE).hexdigest(), **source}
        descriptor = os.path.join(self.folder, "demo.json")
        with open(descriptor, "w", encoding="utf-8") as out:
            json.dump({"name": "demo", "homepage": "https://example.org/demo", "files": [file],
                       "variants": [{"name": "only", "files": ["t.csv"],
                                     "schema": {"target": {"column": "y"}}}]}, out)
        env = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
        return subprocess.run([TOOL, "datasets", "fetch", descriptor, "--data-dir", self.folder,
                               *flags], capture_output=True, text=True, timeout=60, env=env)

    def kept(self):
        folder = os.path.join(self.folder, "demo")
        return {name: os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)}

    def assert_fetched(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, os.path.join(self.folder, "demo") + "\n")
        self.assertEqual(self.kept(), {"t.csv": len(TABLE)})

    def test_plain_file(self):
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))

    def test_second_time_nothing_is_fetched(self):
        self.fetch({"url": self.address + "/plain.csv"})
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))
        self.assertEqual(len(Handler.log), 1)

    def test_zip_and_gzip_are_unpacked(self):
        self.assert_fetched(self.fetch({"archive": self.address + "/table.zip", "member": "inner.csv"}))
        os.remove(os.path.join(self.folder, "demo", "t.csv"))
        self.assert_fetched(self.fetch({"archive": self.address + "/table.csv.gz"}))

    def test_mirror(self):
        self.assert_fetched(self.fetch({"archive": "https://nowhere.invalid/a/table.zip",
                                        "member": "inner.csv"}, "--mirror", self.address))

    def test_cut_connection_is_resumed(self):
        Handler.cuts = 2
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))
        self.assertEqual(sum(sent for _, _, sent in Handler.log), len(TABLE))

    def test_resumes_in_a_later_run(self):
        Handler.cuts = 4
        done = self.fetch({"url": self.address + "/plain.csv"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("the connection was cut 4 times; run the command again", done.stderr)
        self.assertEqual(list(self.kept()), ["plain.csv.part"])
        before = sum(sent for _, _, sent in Handler.log)
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))
        self.assertEqual(Handler.log[-1][2], len(TABLE) - before)

    def test_server_without_ranges(self):
        Handler.cuts, Handler.ranges = 1, False
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))

    def test_part_longer_than_the_file_is_thrown_away(self):
        os.mkdir(os.path.join(self.folder, "demo"))
        with open(os.path.join(self.folder, "demo", "plain.csv.part"), "wb") as out:
            out.write(b"x" * (len(TABLE) + 5))
        self.assert_fetched(self.fetch({"url": self.address + "/plain.csv"}))

    def test_wrong_checksum_keeps_nothing(self):
        done = self.fetch({"url": self.address + "/plain.csv"}, sha256="0" * 64)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         f"dpfermi: t.csv: its sha256 is {hashlib.sha256(TABLE).hexdigest()}, not "
                         f"{'0' * 64}; it was not kept")
        self.assertEqual(self.kept(), {})

    def test_not_found(self):
        done = self.fetch({"url": self.address + "/absent.csv"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         f"dpfermi: {self.address}/absent.csv: the server answered 404; try later, or "
                         "another --mirror")

    def test_broken_archive(self):
        done = self.fetch({"archive": self.address + "/broken.zip", "member": "inner.csv"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a readable zip file", done.stderr)
        self.assertEqual(self.kept(), {})

    def test_nobody_listens(self):
        done = self.fetch({"url": "http://127.0.0.1:9/t.csv"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("check the network, or use --mirror", done.stderr)

    def test_no_address(self):
        done = self.fetch({})
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no direct address: get it from https://example.org/demo", done.stderr)

    def test_file_in_the_way(self):
        self.fetch({"url": self.address + "/plain.csv"})
        done = self.fetch({"url": self.address + "/plain.csv"}, sha256="1" * 64)
        self.assertEqual(done.returncode, 1)
        self.assertIn("move it away first", done.stderr)
        self.assertEqual(self.kept(), {"t.csv": len(TABLE)})


if __name__ == "__main__":
    unittest.main()
