"""What the tests of the runner share: calls of a berth-conform whose suite is testing/fake_suite.cc.

conform_*_test.py FAKE-CONFORM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
AS_EXPECTED, FAILURES, USAGE, NOT_LOADED, INTERRUPTED = 0, 1, 2, 3, 130
LIMIT_S = 120


class ConformTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.plugin = self.write("libfake.so", "no plugin: the fake suite loads none\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def command(self, *arguments):
        return [PROGRAM, "--plugin", self.plugin, *arguments]

    def call(self, *arguments, code):
        """stdout of a call that must exit with `code`."""
        done = subprocess.run(self.command(*arguments), capture_output=True, encoding="utf-8",
                              errors="replace", timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def usage(self, *arguments):
        """stderr of a call that must be refused with nothing on stdout."""
        done = subprocess.run(self.command(*arguments), capture_output=True, encoding="utf-8",
                              timeout=LIMIT_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
        return done.stderr

    def report(self, *arguments, code):
        """The JSON report of a run, and its cases by name."""
        self.call(*arguments, "--json", self.path("report.json"), code=code)
        report = json.loads(self.read("report.json"))
        cases = {case["name"]: case for case in report["cases"]}
        self.assertEqual(len(cases), len(report["cases"]))
        return report, cases


def main():
    del sys.argv[1:2]
    unittest.main()
