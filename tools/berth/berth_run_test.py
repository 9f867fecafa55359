"""`berth run`: feeds, fetches, targets, steps, traces, and what goes wrong."""

import json
import os

import berth_command as berth
from berth_command import add, node, npy, placeholder, read_npy, scalar

SUM = placeholder("x", 2, 2) + placeholder("y", 2, 2) + add("scope/sum", "x", "y")
# v is 10 at first; each run of "count" adds 1 to it.
COUNTER = (node("v", "VariableV2", dtype=berth.FLOAT, shape=berth.shape()) +
           scalar("ten", 10) + scalar("one", 1) +
           node("init", "Assign", ["v", "ten"], T=berth.FLOAT) +
           node("count", "AssignAdd", ["v", "one"], T=berth.FLOAT) +
           node("read", "Identity", ["v"], T=berth.FLOAT))


class RunTest(berth.CommandTest):
    def setUp(self):
        super().setUp()
        self.sum = self.write("sum.pbtxt", SUM)
        self.x = "x:0=" + self.write("x.npy", npy([2, 2], [1, 2, 3, 4]))
        self.y = "y=" + self.write("y.npy", npy([2, 2], [10, 20, 30, 40.5]))

    def test_feeds_and_fetches_by_file(self):
        out = self.good_json("run", self.sum, "--feed", self.x, "--feed", self.y,
                             "--fetch", "scope/sum:0", "--fetch", "x",
                             "-o", self.path("out-"), "--json")
        self.assertEqual(set(out), {"step_ms", "fetches"})
        file = self.path("out-scope_sum_0.npy")
        self.assertEqual(out["fetches"], [
            {"name": "scope/sum:0", "dtype": "float", "shape": [2, 2], "file": file},
            {"name": "x", "dtype": "float", "shape": [2, 2],
             "file": self.path("out-x.npy")},
        ])
        self.assertEqual(read_npy(file), ("<f4", [2, 2], [11, 22, 33, 44.5]))
        self.assertEqual(read_npy(self.path("out-x.npy")), ("<f4", [2, 2], [1, 2, 3, 4]))

    def test_times_are_of_the_steps(self):
        out = self.good_json("run", self.sum, "--feed", self.x, self.y, "--fetch",
                             "scope/sum", "--steps", "20", "--json")
        times = out["step_ms"]
        self.assertEqual(set(times), {"median", "min", "p90"})
        self.assertTrue(0 < times["min"] <= times["median"] <= times["p90"] < 60e3, times)
        self.assertEqual(out["fetches"], [{"name": "scope/sum", "dtype": "float",
                                           "shape": [2, 2]}])

    def test_text_shows_values_and_times(self):
        text = self.good("run", self.sum, "--feed", self.x, self.y, "--fetch",
                         "scope/sum:0", "--steps", "2")
        first, last = text.splitlines()
        self.assertTrue(first.startswith("scope/sum:0 = "), first)
        for value in ("11", "22", "33", "44.5"):
            self.assertIn(value, first)
        self.assertRegex(last, r"^2 steps: median [\d.]+ ms, min [\d.]+ ms, p90 [\d.]+ ms$")

    def test_binary_graph(self):
        # GraphDef.node (1) = { name (1): "n", op (2): "NoOp" }.
        graph = self.write("g.pb", b"\x0a\x09\x0a\x01n\x12\x04NoOp")
        out = self.good_json("run", graph, "--target", "n", "--json")
        self.assertEqual(out["fetches"], [])

    def fetch_counter(self, *flags):
        graph = self.write("counter.pbtxt", COUNTER)
        self.good_json("run", graph, *flags, "--json", "-o", self.path("out-"))
        return read_npy(self.path("out-count_0.npy"))[2]

    def test_init_runs_once_and_steps_keep_the_variables(self):
        self.assertEqual(self.fetch_counter("--init", "init", "--fetch", "count:0"), [11])
        self.assertEqual(self.fetch_counter("--init", "init", "--fetch", "count:0",
                                            "--steps", "5"), [15])

    def test_targets_run_as_well(self):
        graph = self.write("counter.pbtxt", COUNTER)
        out = self.good_json("run", graph, "--init", "init", "--target", "count",
                             "--steps", "3", "--json")
        self.assertEqual(out["fetches"], [])

    def test_a_trace_is_of_the_last_step_and_adds_none(self):
        trace = self.path("trace.json")
        self.assertEqual(self.fetch_counter("--init", "init", "--fetch", "count:0",
                                            "--steps", "5", "--trace", trace), [15])
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = [event["args"].get("node") for event in events if event["ph"] == "X"]
        self.assertEqual(names.count("count"), 1, names)
        self.fetch_counter("--init", "init", "--fetch", "count:0", "--trace",
                           self.path("trace.pb"))
        with open(self.path("trace.pb"), "rb") as file:
            self.assertIn(b"count = AssignAdd(", file.read())

    def test_strings_asked_for_on_a_device_with_its_own_memory_run_on_the_cpu(self):
        text = "tensor { dtype: DT_STRING tensor_shape { } string_val: \"abc\" }"
        kind = "type: DT_STRING"
        for make, assign in (("VariableV2", "Assign"), ("VarHandleOp", "AssignVariableOp")):
            types = {"T" if assign == "Assign" else "dtype": kind}
            graph = node("v", make, (), "/device:NULL:0", dtype=kind, shape=berth.shape())
            graph += node("abc", "Const", dtype=kind, value=text)
            graph += node("init", assign, ["v", "abc"], "/device:NULL:0", **types)
            graph += node("got", "Identity" if assign == "Assign" else "ReadVariableOp",
                          ["v"], "/device:NULL:0", **types)
            env = {"BERTH_LOG_LEVEL": "error", "BERTH_PLUGIN_OPTIONS": "null.devices=1"}
            done = self.call("run", self.write("g.pbtxt", graph), "--soft", "--init",
                             "init", "--fetch", "got", env=env)
            self.assertEqual((done.returncode, done.stderr), (berth.DONE, ""), make)
            self.assertIn("'abc'", done.stdout)

    def test_config_and_soft_placement(self):
        graph = self.write("g.pbtxt", placeholder("x", 2, 2) +
                           add("sum", "x", "x", device="/device:ABSENT:0"))
        call = ("run", graph, "--feed", self.x, "--fetch", "sum", "--json")
        error = self.bad(*call)
        for part in ("sum", "/device:ABSENT:0", "ABSENT", "Allow soft placement"):
            self.assertIn(part, error)
        config = self.write("soft.pb", berth.SOFT_CONFIG)
        for soft in (("--soft",), ("--config", config)):
            done = self.call(*call, *soft)
            self.assertEqual(done.returncode, berth.DONE, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)

    def test_failures_are_one_line_on_stderr_and_no_file(self):
        graph = ("run", self.sum, "--json", "-o", self.path("out-"))
        both = (*graph, "--feed", self.x, self.y)
        counter = self.write("counter.pbtxt", COUNTER)
        wrong = "y=" + self.write("wrong.npy", npy([3], [1, 2, 3]))
        for arguments, parts in (
                ((*both, "--fetch", "nope:0"), ("NOT_FOUND", "nope", "3 nodes")),
                ((*both, "--fetch", "scope/sum:1"), ("scope/sum", "one output")),
                ((*both, "--target", "nope"), ("NOT_FOUND", "nope")),
                ((*graph, "--feed", "z=x.npy", "--fetch", "x"), ("NOT_FOUND", "z")),
                ((*graph, "--feed", self.x, "--fetch", "scope/sum"), ("feed", "'y'")),
                ((*graph, "--feed", self.x, wrong, "--fetch", "scope/sum"),
                 ("INVALID_ARGUMENT", "y", "[3]", "[2,2]")),
                ((*graph, "--feed", "x=gone.npy", "--fetch", "x"), ("gone.npy",)),
                ((*graph, "--feed", "x=sum.pbtxt", "--fetch", "x"), ("sum.pbtxt",)),
                ((*both, "--fetch", "x", "x:0", "--fetch", "x"), ("out-x.npy", "x")),
                (("run", counter, "--fetch", "read"), ("FAILED_PRECONDITION", "v")),
                (("run", counter, "--fetch", "read", "--init", "nope"), ("nope",)),
                (("run", "gone.pb", "--fetch", "x"), ("gone.pb", "No such file"))):
            with self.subTest(arguments):
                error = self.bad(*arguments)
                self.assertEqual(len(error.splitlines()), 1, error)
                for part in parts:
                    self.assertIn(part, error)
        self.assertEqual([f for f in os.listdir(self.folder) if f.startswith("out-")], [])

    def test_a_place_that_cannot_be_written_is_a_failure(self):
        for flags in (("-o", "no/such/folder-"), ("--trace", "no/such/trace.json")):
            error = self.bad("run", self.sum, "--feed", self.x, self.y, "--fetch",
                             "scope/sum", "--json", *flags)
            self.assertIn("no/such/", error)


if __name__ == "__main__":
    berth.main()
