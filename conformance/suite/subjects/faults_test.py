"""The suite against a plugin that does one thing wrong: it must say which.

faults_test.py BERTH-CONFORM PLUGIN
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CONFORM, PLUGIN = sys.argv[1:3]

# What berth-conform must say of each fault, in which case, and of which cases it is asked. The
# names are those of faults.h.
OPS = "op/Relu/float/*"
ONE = "op/Relu/float/00*"
DIAGNOSES = {
    "crash-in-init": ("crash in init", "contract/load", OPS),
    "hang-in-init": ("hang in init", "contract/load", OPS),
    "thread-kept": ("leak", "contract/load/unload-100", "contract/load/*"),
    "out-of-memory": ("out of memory", "contract/memory/", "contract/memory/*"),
    "busy-stream": ("unload while busy", "contract/stream/destroy-busy", "contract/stream/*"),
    "late-error": ("late error", "op/Relu/float/", ONE),
    "misaligned": ("contract broken", "contract/memory/alignment", "contract/memory/*"),
    "stale-statistics": ("leak", "contract/memory/statistics", "contract/memory/*"),
    "copies-too-much": ("write out of bounds", "contract/copy/host-to-device", "contract/copy/*"),
    "crash": ("crash", "op/Relu/float/", ONE),
    "hang": ("hang", "op/Relu/float/", ONE),
    "abort": ("crash", "op/Relu/float/", ONE),
    "exit": ("crash: exited", "op/Relu/float/", ONE),
    "lies-about-support": ("refused at run time", "op/Relu/float/", OPS),
    "wrong-shape": ("wrong shape", "op/Relu/float/", OPS),
    "wrong-value": ("wrong value", "op/Relu/float/", OPS),
    "overrun": ("write out of bounds", "op/Relu/float/", OPS),
    "underrun": ("write out of bounds", "op/Relu/float/", OPS),
    "not-written": ("output not written", "op/Relu/float/", OPS),
    "leak": ("leak", "op/Relu/float/steady", OPS),
    "changes-input": ("input changed", "op/Relu/float/", OPS),
    "not-deterministic": ("not deterministic", "op/Relu/float/", OPS),
    "keeps-buffer": ("buffer kept past its step", "op/Relu/float/", OPS),
    "starts-threads": ("threads started", "op/Relu/float/steady", OPS),
    "in-place": ("wrong in place", "op/Relu/float/", OPS),
    "throws": ("fails", "op/Relu/float/", OPS),
    "unstable-supports": ("supports() not stable", "op/Relu/float/", OPS),
    "promises-too-much": ("supports() not stable", "op/Relu/float/", OPS),
    "no-reason": ("refusal without a reason", "op/Relu/float/", OPS),
}


def conform(fault, *arguments):
    """Exit code and report of a run with the fault."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run(
            [CONFORM, "--plugin", PLUGIN, "--option", f"fault={fault}", "--json", path,
             "--case-limit", "3", "--load-limit", "3", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        with open(path, encoding="utf-8") as file:
            return done, json.load(file)


class FaultsTest(unittest.TestCase):
    def test_without_a_fault_everything_passes(self):
        done, report = conform("none", "--tier", "mandatory")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreaterEqual(report["summary"]["passed"], 35, done.stdout)

    def test_every_fault_of_the_plugin_has_a_diagnosis(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.h")
        with open(source, encoding="utf-8") as file:
            names = [line.split('"')[1] for line in file if line.strip().startswith("{Fault::")]
        self.assertEqual(sorted(names), sorted([*DIAGNOSES, "none"]))

    def test_each_fault_is_named(self):
        for fault, (name, case, match) in DIAGNOSES.items():
            with self.subTest(fault=fault):
                done, report = conform(fault, "--match", match)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                found = {(one["fault"], one["name"]) for one in report["cases"]
                         if one["verdict"] in ("failed", "crashed", "hung")}
                self.assertTrue(any(f == name and n.startswith(case) for f, n in found),
                                f"expected {name} in {case}, found {sorted(found)}")
                # Nothing else is blamed: a fault has one name, wherever it shows.
                self.assertLessEqual({f for f, _ in found}, {name}, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
