"""The reports: JSON after its schema, JUnit XML, and the text on a terminal and in a pipe."""

import json
import os
import pty
import re
import select
import subprocess
import time
import unittest
import xml.etree.ElementTree as ElementTree

import conform_command as conform

SCHEMA = "docs/conformance.schema.json"  # from the root, where the test runs
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("number", "integer"):
        kinds = (int,) if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def violations(value, schema, where="report"):
    """What in the value is against the schema: the keywords that the schema uses, no others."""
    unknown = set(schema) - {"$schema", "title", "description", "type", "additionalProperties",
                             "required", "properties", "enum", "items", "minimum"}
    assert not unknown, unknown
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{where}: {value!r} is no {types}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{where}: {value} is less than {schema['minimum']}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from violations(item, schema.get("items", {}), f"{where}[{i}]")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{where}: no {key}"
        for key, item in value.items():
            if key not in properties and others is False:
                yield f"{where}: {key} is not in the schema"
            else:
                yield from violations(item, properties.get(key, others or {}), f"{where}.{key}")


class JsonTest(conform.ConformTest):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)

    def check(self, report):
        self.assertEqual(list(violations(report, self.schema)), [])

    def test_a_report_with_every_verdict_follows_the_schema(self):
        expect = self.write("expect.json", '{"expected_failures": [{"match": "op/Wrong/half/*",'
                                           ' "reason": "ticket 1"}]}')
        report, cases = self.report("--op", "Pass,Wrong,Nan,Refuse,Crash,Hang,Noise,Measure",
                                    "--tier", "mandatory,optional,performance", "--expect", expect,
                                    "--case-limit", "2", code=conform.FAILURES)
        self.check(report)
        self.assertEqual({case["verdict"] for case in report["cases"]},
                         {"passed", "failed", "expected", "unsupported", "crashed", "hung"})
        self.assertIsNone(cases["op/Nan/float/0"]["margin"])
        self.assertEqual([case["name"] for case in report["cases"] if not case["rerun"]],
                         [case["name"] for case in report["cases"]
                          if case["verdict"] == "passed"])
        self.assertIsNone(cases["op/Noise/float/0"]["margin"])
        for case in report["cases"]:
            self.assertLessEqual(len(re.sub(r"^0\.0*|\.|e.*$", "", repr(case["seconds"]))), 5)
        self.assertEqual(cases["op/Measure/float/0"]["metrics"],
                         {"gflops": 12.5, "launch_us": 3})

    def test_a_report_of_a_plugin_that_does_not_load_follows_the_schema(self):
        report, _ = self.report("--option", "init=crash", code=conform.NOT_LOADED)
        self.check(report)
        self.assertEqual(report["plugin"]["path"], self.plugin)

    def test_the_schema_can_be_violated(self):
        report, _ = self.report("--op", "Pass", code=conform.AS_EXPECTED)
        for change in ({"format": 2}, {"seed": "1"}, {"seconds": -1}, {"extra": 1},
                       {"complete": 1}, {"notes": [1]}):
            self.assertEqual(len(list(violations({**report, **change}, self.schema))), 1, change)
        del report["cases"][0]["margin"]
        self.assertEqual(list(violations(report, self.schema)), ["report.cases[0]: no margin"])

    def test_it_is_bound_to_plugin_device_version_and_seed(self):
        report, _ = self.report("--op", "Pass", "--seed", "7", "--device", "FAKE:1",
                                code=conform.AS_EXPECTED)
        self.assertEqual((report["plugin"]["name"], report["plugin"]["version"]), ("fake", "1.2"))
        self.assertEqual((report["abi_version"], report["seed"]), ("0.1", 7))
        self.assertEqual(report["device"], {"type": "FAKE:1", "name": "Fake <device>",
                                            "driver": "driver 7"})
        self.assertRegex(report["suite_version"], r"^\d+\.\d+\.\d+$")
        self.assertRegex(report["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(report["plugin"]["hash"], r"^[0-9a-f]{32}$")
        self.write("libfake.so", "another file\n")
        other, _ = self.report("--op", "Pass", code=conform.AS_EXPECTED)
        self.assertNotEqual(other["plugin"]["hash"], report["plugin"]["hash"])

    def test_complete_says_whether_all_was_run(self):
        expect = self.write("expect.json", '{"expected_failures": [{"match": "op/[!PSN]*",'
                                           ' "reason": "bad on purpose"}]}')
        whole = ("--case-limit", "0.5", "--memory-limit", "1GB", "--expect", expect, "--option",
                 f"pid_file={self.path('pid')}")
        for arguments, complete in ((whole, True), ((*whole, "--shard", "1/2"), False),
                                    (("--op", "Pass"), False), (("--match", "*Pass*"), False)):
            done = subprocess.run(self.command(*arguments, "--json", self.path("report.json")),
                                  capture_output=True, timeout=conform.LIMIT_S, check=False)
            self.assertIn(done.returncode, (conform.AS_EXPECTED, conform.FAILURES))
            report = json.loads(self.read("report.json"))
            self.assertEqual(report["complete"], complete, arguments)


class JunitTest(conform.ConformTest):
    def test_it_is_xml_that_counts_what_it_holds(self):
        path = self.path("report.xml")
        self.call("--op", "Pass,Wrong,Refuse,Crash,Noise", "--match", "*", "--junit", path,
                  "--seed", "9", code=conform.FAILURES)
        root = ElementTree.parse(path).getroot()
        self.assertEqual(root.tag, "testsuites")
        self.assertEqual([root.get(key) for key in ("tests", "failures", "errors", "skipped")],
                         ["12", "3", "2", "1"])
        self.assertEqual(len(root.findall(".//testcase")), 12)
        for suite in root:
            for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(key)), len(suite.findall(f"testcase/{tag}")))
            properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
            self.assertEqual(properties["seed"], "9")
            self.assertEqual(properties["plugin"], self.plugin)
            self.assertEqual(len(properties["plugin_hash"]), 32)
        wrong = root.find(".//testcase[@name='op/Wrong/float/0']")
        self.assertEqual(wrong.get("classname"), "Wrong.float")
        failure = wrong.find("failure")
        self.assertEqual(failure.get("type"), "wrong value")
        self.assertIn('<b>&"quoted"</b>', failure.get("message"))
        self.assertIn("--case op/Wrong/float/0", failure.text)
        noise = root.find(".//testcase[@name='op/Noise/float/0']/system-out").text
        self.assertIn("first line of noise\n", noise)


class TextTest(conform.ConformTest):
    def test_the_summary_names_what_was_judged(self):
        text = self.call("--op", "Pass", code=conform.AS_EXPECTED)
        self.assertIn("fake 1.2 (", text)
        for part in ("on FAKE:0 Fake <device>", "ABI 0.1", "seed 1", "5 cases in ",
                     "5 passed, 0 failed, 0 expected, 0 unsupported, 0 crashed, 0 hung",
                     "0.62 of its bound, op/Pass/float/4"):
            self.assertIn(part, text)

    def test_perf_measures_and_prints_what_it_measured(self):
        text = self.call("perf", code=conform.AS_EXPECTED)
        self.assertIn("PASSED op/Measure/float/0\n    gflops 12.5, launch_us 3\n", text)
        self.assertIn("1 case in ", text)

    def test_in_a_pipe_progress_is_a_line_for_each_tenth(self):
        arguments = ("--op", "Pass", "--option", "passes=1200")
        text = self.call(*arguments, code=conform.AS_EXPECTED)
        self.assertEqual(re.findall(r"^(.*) of 1,200 cases$", text, re.M),
                         ["120", "240", "360", "480", "600", "720", "840", "960", "1,080"])
        self.assertNotIn("\r", text)
        self.assertNotIn("of 1,200 cases", self.call(*arguments, "--quiet",
                                                     code=conform.AS_EXPECTED))
        self.assertEqual(self.call(*arguments, "--verbose", code=conform.AS_EXPECTED)
                         .count("PASSED op/Pass/"), 1200)

    def test_on_a_terminal_progress_is_one_line(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen(self.command("--op", "Pass,Wrong", "--option", "passes=300"),
                              stdout=theirs, stderr=subprocess.DEVNULL) as process:
            os.close(theirs)
            text = b""
            end = time.monotonic() + conform.LIMIT_S
            while time.monotonic() < end and select.select([ours], [], [], conform.LIMIT_S)[0]:
                try:
                    block = os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
                if not block:
                    break
                text += block
        os.close(ours)
        text = text.decode()
        self.assertIn("\r\x1b[K1 of 302 cases", text)
        # The line is taken away before anything else is printed.
        self.assertIn("\r\x1b[KFAILED op/Wrong/float/0: wrong value\r\n", text)
        self.assertNotIn("cases\r\n", text)

    def test_a_failed_case_shows_what_it_printed(self):
        text = self.call("--case", "op/Crash/float/segv", "--quiet", code=conform.FAILURES)
        self.assertIn("    | about to write where nothing may be written\n", text)

    def test_a_full_disk_is_no_success(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(self.command("--op", "Pass"), stdout=full,
                                  stderr=subprocess.PIPE, timeout=conform.LIMIT_S, check=False)
        self.assertNotEqual(done.returncode, conform.AS_EXPECTED)


if __name__ == "__main__":
    conform.main()
