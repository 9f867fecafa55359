#!/usr/bin/env python3
"""tools/support_matrix on small reports."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support_matrix")


def case(op, dtype, verdict, reason="", tier="mandatory"):
    return {"op": op, "dtype": dtype, "verdict": verdict, "reason": reason, "tier": tier}


def report(device, *cases, **changes):
    verdicts = ("passed", "failed", "expected", "unsupported", "crashed", "hung")
    return {"format": 1, "complete": True, "abi_version": "0.1",
            "plugin": {"name": device.lower(), "version": "1.2"},
            "device": {"type": device + ":0"}, "cases": cases,
            "summary": {v: sum(c["verdict"] == v for c in cases) for v in verdicts}, **changes}


CPU = report("CPU", case("", "", "passed"), case("Relu", "float", "passed"),
             case("Relu", "float", "unsupported"), case("Relu", "half", "passed"),
             case("MatMul", "float", "passed"), case("MatMul", "float", "passed", tier="performance"),
             case("NoOp", "", "passed"))
GPU = report("GPU", case("Relu", "float", "expected", "ticket 7"), case("Relu", "half", "crashed"),
             case("Relu", "double", "unsupported"), case("Exp", "half", "expected", "ticket 3"),
             case("Exp", "half", "expected", "ticket 7"), case("Exp", "half", "failed"),
             case("Abs", "half", "passed", tier="performance"))


class SupportMatrixTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def call(self, *reports, check=None):
        paths = [self.write(f"{i}.json", json.dumps(one)) for i, one in enumerate(reports)]
        return subprocess.run([sys.executable, SCRIPT, *(["--check", check] if check else []),
                               *paths], capture_output=True, encoding="utf-8", check=False)

    def test_a_cell_names_the_dtypes_that_run(self):
        done = self.call(CPU, GPU)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        table = lines[lines.index("| Op | CPU | GPU |"):]
        self.assertEqual(table, [
            "| Op | CPU | GPU |", "|---|---|---|",
            "| Exp | – | half (1) (2) ✗ |",
            "| MatMul | float | – |",
            "| NoOp | yes | – |",
            "| Relu | float, half | float (2), half ✗ |",
            "", "Declared failures:", "", "1. ticket 3", "2. ticket 7"])
        self.assertIn("| CPU | cpu 1.2 | 0.1 | 6 passed, 1 unsupported |", lines)
        self.assertIn("| GPU | gpu 1.2 | 0.1 | 1 passed, 3 expected, 1 unsupported, 1 failed, "
                      "1 crashed |", lines)

    def test_check_compares(self):
        text = self.call(CPU, GPU).stdout
        path = self.write("SUPPORT.md", text)
        done = self.call(CPU, GPU, check=path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.write("SUPPORT.md", text.replace("float, half", "float"))
        done = self.call(CPU, GPU, check=path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not what the reports say", done.stderr)

    def test_reports_that_prove_too_little_are_refused(self):
        for reports, part in (((report("CPU", complete=False),), "not all cases were run"),
                              ((report("CPU", format=2),), "no report of format 1"),
                              ((CPU, CPU), "two reports of one device type")):
            done = self.call(*reports)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
