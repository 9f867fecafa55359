"""`berth plugins` beside a report that berth-conform wrote.

berth_conformance_test.py BERTH TEST_PLUGINS CONFORM: the last is a berth-conform whose suite needs no
plugin, so that this is about the file alone.
"""

import os
import shutil
import subprocess
import sys

import berth_command as berth

CONFORM = os.path.abspath(sys.argv.pop(3))
GOOD = os.path.join(berth.TEST_PLUGINS, "libberth_test_good.so")


class ConformanceTest(berth.CommandTest):
    def setUp(self):
        super().setUp()
        self.plugin = os.path.join(self.folder, "libberth_good.so")
        shutil.copy(GOOD, self.plugin)
        self.report = self.plugin + ".conformance.json"

    def conform(self, *arguments):
        subprocess.run([CONFORM, "--plugin", self.plugin, "--json", self.report, *arguments],
                       stdout=subprocess.DEVNULL, check=False, timeout=120)

    def seen(self):
        """The record of the plugin, and its lines in the text."""
        env = {"BERTH_PLUGIN_PATH": self.plugin}
        records = self.good_json("plugins", "--json", env=env)["plugins"]
        record = next(r for r in records if r["path"] == self.plugin)
        return record["conformance"], self.good("plugins", env=env)

    def test_without_a_report_nothing_is_said(self):
        note, text = self.seen()
        self.assertIsNone(note)
        self.assertIn(self.plugin, text)
        self.assertNotIn("conform", text)

    def test_a_report_is_shown_as_long_as_it_matches_the_file(self):
        self.conform("--op", "Pass")
        line = "conformance tested in part, ABI 0.1: 5 of 5"
        note, text = self.seen()
        self.assertEqual(note, {"state": "partial", "text": line, "report": self.report})
        self.assertIn(f"\n    {line}\n", text)

        self.conform("--op", "Pass,Wrong")
        line = "does not conform to ABI 0.1: 5 of 7, 2 failed"
        self.assertIn(f"\n    {line}\n", self.seen()[1])

        # Another build: the loader does not mind what follows the image.
        with open(self.plugin, "ab") as file:
            file.write(b"rebuilt")
        note, text = self.seen()
        self.assertEqual(note["state"], "stale")
        self.assertIn("of another build of the file: run berth-conform again", text)

    def test_a_file_that_is_no_report_is_named_as_such(self):
        with open(self.report, "w", encoding="utf-8") as file:
            file.write("{}")
        note, text = self.seen()
        self.assertEqual(note["state"], "unreadable")
        self.assertIn("cannot be read", text)


if __name__ == "__main__":
    berth.main()
