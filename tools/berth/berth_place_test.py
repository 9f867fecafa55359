"""`berth place`: where every node goes and why, as text, JSON and a page."""

import json
import os
import sys

import berth_command as berth
from berth_command import add, ints, node, placeholder

# "1" where the OpenCL plugin is built.
HAS_OPENCL = sys.argv.pop(3) == "1"
GOOD = {"BERTH_PLUGIN_PATH": os.path.join(berth.TEST_PLUGINS, "libberth_test_good.so")}
NULL = {"BERTH_PLUGIN_OPTIONS": "null.devices=1"}
LOCAL = "/job:localhost/replica:0/task:0"
NODE_FIELDS = {"name", "op", "requested", "device", "reason", "rejected"}

# GOOD has a device and no kernel: it takes what the core runs, and no AddV2.
MIXED = (placeholder("x", 2, 3, device="/cpu:0") +
         node("moved", "Identity", ["x"], "/device:GOOD:0", T=berth.FLOAT) +
         add("sum", "moved", "moved", device="/device:GOOD:0"))


PLANTED = "net/layer_13"


def chain(op, device, planted, attrs):
    """24 nodes of an op, each on the one before; the planted one has other attributes."""
    text = placeholder("image", 4, 4, 4, 4)
    text += node("filter", "Placeholder", dtype=berth.FLOAT, shape=berth.shape(1, 1, 4, 4))
    source = "image"
    for i in range(24):
        name = f"net/layer_{i}"
        inputs = [source, "filter"] if op == "Conv2D" else [source]
        own = attrs | (planted if name == PLANTED else {})
        text += node(name, op, inputs, device, T=berth.FLOAT, padding='s: "SAME"', **own)
        source = name
    return text


def nodes_of(out):
    return {entry["name"]: entry for entry in out["nodes"]}


class PlantedTest(berth.CommandTest):
    def check_planted(self, graph, device, parts, *flags):
        """The planted node alone has the code; its message names attribute and value."""
        graph = self.write("g.pbtxt", graph)
        env = {"BERTH_LOG_LEVEL": "error"}
        done = self.call("place", graph, *flags, "--explain", "json", env=env)
        nodes = nodes_of(json.loads(done.stdout))
        found = [(entry["name"], rejection["message"]) for entry in nodes.values()
                 for rejection in entry["rejected"]
                 if (rejection["device"], rejection["code"]) == (device, "attribute")]
        self.assertEqual([name for name, _ in found], [PLANTED])
        message = found[0][1]
        for part in parts:
            self.assertIn(part, message)
        text = self.call("place", graph, *flags, env=env).stdout
        line = next(x for x in text.splitlines() if x.startswith(PLANTED + " "))
        self.assertIn(message, line)
        page = self.call("place", graph, *flags, "--explain", "html", env=env).stdout
        self.assertIn(PLANTED, page)
        self.assertIn(message, page)
        return nodes[PLANTED], done


class PlaceTest(PlantedTest):

    def test_json_explains_nodes_edges_and_summary(self):
        graph = self.write("g.pbtxt", MIXED)
        out = self.good_json("place", graph, "--explain", "json", "--soft", env=GOOD | {
            "BERTH_LOG_LEVEL": "error"})
        self.assertEqual(set(out), {"nodes", "edges", "summary"})
        nodes = nodes_of(out)
        self.assertEqual(set(nodes), {"x", "moved", "sum"})
        for entry in nodes.values():
            self.assertLessEqual(NODE_FIELDS, set(entry))
            for rejection in entry["rejected"]:
                self.assertEqual(set(rejection), {"device", "code", "message"})
        self.assertEqual(
            {key: nodes["moved"][key] for key in ("op", "requested", "device", "reason")},
            {"op": "Identity", "requested": "/device:GOOD:0",
             "device": LOCAL + "/device:GOOD:0", "reason": "requested"})
        self.assertEqual((nodes["sum"]["device"], nodes["sum"]["reason"]),
                         (LOCAL + "/device:CPU:0", "soft_fallback"))
        rejected = {entry["device"]: entry for entry in nodes["sum"]["rejected"]}
        self.assertEqual(rejected["GOOD"]["code"], "no_kernel")
        self.assertIn("AddV2", rejected["GOOD"]["message"])
        # 2 x 3 floats there; the shape of what comes back is known as well.
        self.assertEqual([(e["from"], e["to"], e["bytes"]) for e in out["edges"]],
                         [("x", "moved", 24), ("moved", "sum", 24), ("moved", "sum", 24)])
        summary = out["summary"]
        self.assertEqual((summary["nodes"], summary["unplaced"]), (3, 0))
        self.assertEqual(summary["reasons"], {"requested": 2, "soft_fallback": 1})
        # Both inputs of sum are one tensor: it is copied once.
        self.assertEqual(summary["copies"],
                         {"tensors": 2, "bytes": 48, "unknown_size": 0})

    def test_text_has_a_line_a_node_and_the_summary(self):
        graph = self.write("g.pbtxt", MIXED)
        text = self.good("place", graph, "--soft", env=GOOD | {"BERTH_LOG_LEVEL": "error"})
        lines = [line.split() for line in text.splitlines() if line]
        self.assertIn(["x", "Placeholder", "/cpu:0", "CPU:0", "requested"], lines)
        self.assertIn(["moved", "Identity", "/device:GOOD:0", "GOOD:0", "requested"], lines)
        fallback = next(line for line in lines if line[0] == "sum")
        self.assertEqual(fallback[1:5], ["AddV2", "/device:GOOD:0", "CPU:0",
                                         "soft_fallback:"])
        self.assertIn("2 tensors, 48 bytes", text)

    def test_page_stands_alone(self):
        graph = self.write("g.pbtxt", MIXED)
        page = self.good("place", graph, "--soft", "--explain", "html", env=GOOD | {
            "BERTH_LOG_LEVEL": "error"})
        self.assertTrue(page.lower().startswith("<!doctype html>"), page[:80])
        self.assertIn("moved", page)
        self.assertIn("g.pbtxt", page)
        for outside in ("src=", "href=\"http", "@import", "url(http", "fetch("):
            self.assertNotIn(outside, page)

    def test_soft_placement_warns_on_stderr_alone(self):
        graph = self.write("g.pbtxt", MIXED)
        done = self.call("place", graph, "--soft", "--explain", "json", env=GOOD)
        self.assertEqual(done.returncode, berth.DONE)
        json.loads(done.stdout)
        self.assertIn("1 of 3 nodes", done.stderr)

    def test_hard_placement_fails_with_the_page_and_one_error(self):
        graph = self.write("g.pbtxt", MIXED)
        done = self.call("place", graph, "--explain", "json", env=GOOD)
        self.assertEqual(done.returncode, berth.FAILED)
        entry = nodes_of(json.loads(done.stdout))["sum"]
        self.assertEqual((entry["device"], entry["reason"]), ("", "unplaced"))
        self.assertIn(entry["error"], done.stderr)
        for part in ("'sum'", "AddV2", "T=float", "/device:GOOD:0", "CPU: T = ",
                     "Allow soft placement"):
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("Cannot assign a device"), 1)

    def test_fetch_limits_which_errors_count(self):
        graph = self.write("g.pbtxt", MIXED)
        self.good("place", graph, "--fetch", "moved:0", env=GOOD)
        for names in (("sum:0",), ("moved", "sum")):
            done = self.call("place", graph, "--fetch", *names, env=GOOD)
            self.assertEqual(done.returncode, berth.FAILED, done.stderr)
        self.assertIn("nowhere", self.bad("place", graph, "--fetch", "nowhere"))

    def test_config_is_read_in_both_forms(self):
        graph = self.write("g.pbtxt", MIXED)
        for config in (self.write("soft.pb", berth.SOFT_CONFIG),
                       self.write("soft.pbtxt", "allow_soft_placement: true")):
            done = self.call("place", graph, "--config", config, env=GOOD)
            self.assertEqual(done.returncode, berth.DONE, done.stderr)
        bad = self.write("bad.pbtxt", "allow_soft_placement: perhaps")
        self.assertIn("bad.pbtxt", self.bad("place", graph, "--config", bad))
        self.assertIn("bad.pb", self.bad("place", graph, "--config",
                                         self.write("bad.pb", b"\xff\xff\xff")))
        self.assertIn("gone.pb", self.bad("place", graph, "--config", "gone.pb"))

    def test_chosen_device_without_nodes_is_warned_of(self):
        # NULL is not the host's and, where there is no other, what the list is about.
        config = self.write("c.pbtxt", 'gpu_options { visible_device_list: "0" } '
                            'berth { device_alias { key: "GPU" value: "NULL" } }')
        graph = self.write("g.pbtxt", placeholder("x", 1, device="/cpu:0"))
        done = self.call("place", graph, "--config", config, env=NULL)
        self.assertEqual((done.returncode, done.stderr), (
            berth.DONE,
            "berth warning: NULL:0: 0 of 1 nodes, although it was asked for\n"))

    def test_logs_of_placement_stay_out_of_stdout(self):
        graph = self.write("g.pbtxt", add("sum", "x", "x") + placeholder("x", 1))
        config = self.write("log.pbtxt", "log_device_placement: true")
        done = self.call("place", graph, "--config", config, "--explain", "json")
        json.loads(done.stdout)
        self.assertIn(f"sum: (AddV2): {LOCAL}/device:", done.stderr)

    def test_verbose_placement_prints_every_node_device_and_decline(self):
        graph = self.write("g.pbtxt", MIXED)
        env = GOOD | NULL | {"BERTH_VERBOSE": "placement", "BERTH_LOG_LEVEL": "error"}
        done = self.call("place", graph, "--soft", "--explain", "json", env=env)
        lines = done.stderr.splitlines()
        for entry in json.loads(done.stdout)["nodes"]:
            node_line = f"placement: '{entry['name']}' ({entry['op']},"
            start = next(i for i, line in enumerate(lines) if line.startswith(node_line))
            self.assertIn(f" -> {entry['device']} [{entry['reason']}]", lines[start])
            for i, rejection in enumerate(entry["rejected"], start + 1):
                self.assertEqual(lines[i], f"placement:   not {rejection['device']} "
                                 f"[{rejection['code']}]: {rejection['message']}")
        self.assertIn("placement:   not GOOD [no_kernel]: ", done.stderr)
        self.assertIn("placement:   not NULL [no_kernel]: ", done.stderr)

    def test_op_that_berth_cannot_run_yet_is_an_error_that_names_it(self):
        queue = 'list { type: DT_FLOAT }'
        graph = self.write("g.pbtxt", placeholder("x", 1) +
                           node("queue", "FIFOQueueV2", component_types=queue) +
                           node("size", "QueueSizeV2", ["queue"]))
        done = self.call("place", graph, "--explain", "json")
        self.assertEqual(done.returncode, berth.FAILED)
        self.assertEqual(set(nodes_of(json.loads(done.stdout))), {"x", "queue", "size"})
        for part in ("UNIMPLEMENTED", "2 nodes", "'queue' (FIFOQueueV2)", "Fetch a part"):
            self.assertIn(part, done.stderr)
        error = self.bad("run", graph, "--fetch", "size")
        for part in ("UNIMPLEMENTED", "'size' (QueueSizeV2)"):
            self.assertIn(part, error)
        self.good("place", graph, "--fetch", "x")

    def test_variable_of_strings_is_kept_off_a_device_with_its_own_memory(self):
        graph = self.write("g.pbtxt", node("v", "VariableV2", (), "/device:NULL:0",
                                           dtype="type: DT_STRING", shape=berth.shape(1)))
        done = self.call("place", graph, "--explain", "json", env=NULL)
        self.assertEqual(done.returncode, berth.FAILED)
        entry = nodes_of(json.loads(done.stdout))["v"]
        self.assertEqual([(r["device"], r["code"]) for r in entry["rejected"]
                          if r["device"] == "NULL"], [("NULL", "host_memory")])
        self.assertIn("strings are kept in host memory", done.stderr)
        self.assertIn("Allow soft placement, or ask for CPU:0", done.stderr)
        soft = self.call("place", graph, "--soft", "--explain", "json", env=NULL)
        entry = nodes_of(json.loads(soft.stdout))["v"]
        self.assertEqual((entry["device"], entry["reason"]),
                         (LOCAL + "/device:CPU:0", "soft_fallback"))

    def test_planted_attribute_is_named_where_no_device_takes_it(self):
        graph = chain("Conv2D", "/cpu:0", {"data_format": 's: "NCHW"'},
                      {"strides": ints(1, 1, 1, 1)})
        entry, done = self.check_planted(graph, "CPU", ("data_format", "NCHW"))
        self.assertEqual(done.returncode, berth.FAILED)
        self.assertEqual(entry["reason"], "unplaced")
        for part in (PLANTED, "data_format", "NCHW", "CPU"):
            self.assertIn(part, done.stderr)
        self.assertNotIn("layer_12", done.stderr)
        self.good("place", self.path("g.pbtxt"), "--fetch", "net/layer_12")


class OpenClPlaceTest(PlantedTest):
    """Pooling over channels: the CPU has it, OPENCL has not."""

    GRAPH = chain("MaxPool", "/device:OPENCL:0",
                  {"ksize": ints(1, 1, 1, 2), "strides": ints(1, 1, 1, 2)},
                  {"ksize": ints(1, 1, 1, 1), "strides": ints(1, 1, 1, 1)})

    def test_planted_attribute_is_why_the_node_falls_back(self):
        entry, done = self.check_planted(self.GRAPH, "OPENCL", ("strides", "2"), "--soft")
        self.assertEqual((done.returncode, done.stderr), (berth.DONE, ""))
        self.assertEqual((entry["device"], entry["reason"]),
                         (LOCAL + "/device:CPU:0", "soft_fallback"))
        self.assertIn("strides", entry["detail"])

    def test_planted_attribute_is_in_the_error(self):
        entry, done = self.check_planted(self.GRAPH, "OPENCL", ("strides", "2"))
        self.assertEqual(done.returncode, berth.FAILED)
        self.assertEqual(entry["reason"], "unplaced")
        for part in (PLANTED, "strides", "2", "OPENCL", "CPU"):
            self.assertIn(part, done.stderr)


if not HAS_OPENCL:
    del OpenClPlaceTest

if __name__ == "__main__":
    berth.main()
