"""The commands that list what there is (devices, plugins, ops), the help and the usage."""

import json
import os
import subprocess

import berth_command as berth

GOOD = os.path.join(berth.TEST_PLUGINS, "libberth_test_good.so")
WITH_GOOD = {"BERTH_PLUGIN_PATH": GOOD}
WITH_NULL = {"BERTH_PLUGIN_OPTIONS": "null.devices=1"}

DEVICE_FIELDS = {"name", "type", "index", "description", "driver", "plugin", "path",
                 "physical_id", "memory_bytes", "priority"}
PLUGIN_FIELDS = {"path", "found_by", "stage", "message", "remedy", "name", "version",
                 "devices", "conformance"}
KERNEL_FIELDS = {"device", "plugin", "types", "host_args", "conditional", "priority"}


class DevicesTest(berth.CommandTest):
    def test_json_has_the_fields_of_each_device(self):
        out = self.good_json("devices", "--json", env=WITH_GOOD)
        self.assertEqual(set(out), {"devices"})
        for device in out["devices"]:
            self.assertEqual(set(device), DEVICE_FIELDS)
        devices = {device["type"]: device for device in out["devices"]}
        cpu = devices["CPU"]
        self.assertEqual(cpu["name"], "/job:localhost/replica:0/task:0/device:CPU:0")
        self.assertEqual((cpu["index"], cpu["plugin"], cpu["priority"]), (0, "cpu", 70))
        self.assertEqual(os.path.basename(cpu["path"]), "libberth_cpu.so")
        self.assertEqual(cpu["physical_id"], "cpu:0")
        self.assertGreater(cpu["memory_bytes"], 1 << 20)
        good = devices["GOOD"]
        self.assertEqual(good["name"], "/job:localhost/replica:0/task:0/device:GOOD:0")
        self.assertEqual((good["plugin"], good["description"], good["path"]),
                         ("good", "good", GOOD))

    def test_text_names_each_device_once(self):
        text = self.good("devices", env=WITH_GOOD)
        for device in self.good_json("devices", "--json", env=WITH_GOOD)["devices"]:
            self.assertEqual(text.splitlines().count(device["name"]), 1, text)
        self.assertIn("plugin good", text)


class PluginsTest(berth.CommandTest):
    def plugins(self, env):
        out = self.good_json("plugins", "--json", env=env)
        self.assertEqual(set(out), {"plugins"})
        for plugin in out["plugins"]:
            self.assertEqual(set(plugin), PLUGIN_FIELDS)
        return {os.path.basename(plugin["path"]): plugin for plugin in out["plugins"]}

    def test_json_has_the_record_of_each_candidate(self):
        plugins = self.plugins(WITH_GOOD)
        good = plugins["libberth_test_good.so"]
        self.assertEqual(good, {
            "path": GOOD, "found_by": "BERTH_PLUGIN_PATH", "stage": "loaded",
            "message": "", "remedy": "", "name": "good", "version": "1",
            "devices": ["/job:localhost/replica:0/task:0/device:GOOD:0"],
            "conformance": None})
        cpu = plugins["libberth_cpu.so"]
        self.assertEqual((cpu["found_by"], cpu["stage"], cpu["name"]),
                         ("install folder", "loaded", "cpu"))
        null = plugins["libberth_null.so"]
        self.assertEqual((null["stage"], null["devices"]), ("no device", []))
        self.assertIn("devices=1", null["message"])

    def test_options_reach_the_plugin(self):
        null = self.plugins(WITH_NULL)["libberth_null.so"]
        self.assertEqual(null["devices"],
                         ["/job:localhost/replica:0/task:0/device:NULL:0"])

    def test_a_file_found_twice_has_one_record(self):
        install = os.path.dirname(self.plugins({})["libberth_cpu.so"]["path"])
        for path in (install, os.path.join(install, "libberth_cpu.so"),
                     install + "/../plugins:" + install):
            out = self.good_json("plugins", "--json", env={"BERTH_PLUGIN_PATH": path})
            names = [os.path.basename(plugin["path"]) for plugin in out["plugins"]]
            self.assertEqual(len(names), len(set(names)), names)
            cpu = out["plugins"][names.index("libberth_cpu.so")]
            self.assertEqual((cpu["stage"], cpu["found_by"]),
                             ("loaded", "BERTH_PLUGIN_PATH"))

    def test_text_says_why_only_when_asked(self):
        path = os.path.join(berth.TEST_PLUGINS, "libberth_test_too_new.so")
        done = self.call("plugins", "--why", env={"BERTH_PLUGIN_PATH": path})
        self.assertEqual(done.returncode, berth.DONE)
        for part in (path, "version", "plugin too_new: ABI 1.0 to 1.2, host: ABI 0.1",
                     "upgrade berth", "found by BERTH_PLUGIN_PATH", "libberth_cpu.so"):
            self.assertIn(part, done.stdout)
        short = self.call("plugins", env={"BERTH_PLUGIN_PATH": path})
        self.assertNotIn("too_new", short.stdout)
        # Loaded, though without a device: listed, with the reason.
        self.assertIn("libberth_null.so", short.stdout)
        self.assertIn("no device", short.stdout)

    def test_a_bad_candidate_is_one_warning_on_stderr(self):
        path = os.path.join(berth.TEST_PLUGINS, "libberth_test_too_new.so")
        done = self.call("devices", "--json", env={"BERTH_PLUGIN_PATH": path})
        self.assertEqual(done.returncode, berth.DONE)
        self.assertTrue(json.loads(done.stdout)["devices"])
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("too_new", done.stderr)


class OpsTest(berth.CommandTest):
    def test_json_is_a_matrix_of_op_dtype_and_device(self):
        out = self.good_json("ops", "--json", env=WITH_NULL)
        self.assertEqual(set(out), {"ops"})
        ops = {op["op"]: op["kernels"] for op in out["ops"]}
        for kernels in ops.values():
            for kernel in kernels:
                self.assertEqual(set(kernel), KERNEL_FIELDS)
        null = [kernel for kernel in ops["Relu"] if kernel["plugin"] == "null"]
        self.assertEqual(null, [{"device": "NULL", "plugin": "null",
                                 "types": {"T": ["float"]}, "host_args": [],
                                 "conditional": True, "priority": 0}])
        cpu = {dtype for kernel in ops["MatMul"] if kernel["device"] == "CPU"
               for dtype in kernel["types"]["T"]}
        self.assertLessEqual({"float", "double"}, cpu)
        self.assertEqual([(k["device"], k["plugin"]) for k in ops["Identity"]],
                         [("*", "core")])

    def test_an_op_that_berth_cannot_run_has_no_kernel(self):
        ops = {op["op"]: op["kernels"] for op in self.good_json("ops", "--json")["ops"]}
        for op in ("Acosh", "While", "FIFOQueueV2"):
            self.assertEqual(ops[op], [], op)

    def test_text_lists_ops_without_kernels_only_when_asked(self):
        text = self.good("ops", env=WITH_NULL)
        self.assertIn("\nRelu\n", text)
        self.assertIn("    NULL: T=float\n", text)
        self.assertNotIn("\nAcosh\n", text)
        self.assertIn("\nAcosh\n    no kernel\n", self.good("ops", "--all"))


class UsageTest(berth.CommandTest):
    def test_help_is_data_and_names_every_flag(self):
        flags = {
            (): ("devices", "plugins", "ops", "place", "run", "--version"),
            ("devices",): ("--json",),
            ("plugins",): ("--json", "--why"),
            ("ops",): ("--json", "--all"),
            ("place",): ("graph", "--config", "--soft", "--fetch", "--explain"),
            ("run",): ("graph", "--config", "--soft", "--init", "--feed", "--fetch",
                       "--target", "--output", "-o", "--steps", "--trace", "--json"),
        }
        for command, names in flags.items():
            text = self.good(*command, "--help")
            for name in names:
                self.assertIn(name, text)
            self.assertIn("exit", text.lower())

    def test_version(self):
        self.assertRegex(self.good("--version"), r"^berth \d+\.\d+\.\d+\n$")

    def test_bad_usage_exits_with_2_and_says_so_on_stderr(self):
        for arguments, part in (
                ((), "subcommand"),
                (("fly",), "fly"),
                (("devices", "--yaml"), "--yaml"),
                (("devices", "twice"), "twice"),
                (("place",), "graph"),
                (("place", "g.pb", "--explain", "yaml"), "yaml"),
                (("run", "g.pb"), "--fetch or --target"),
                (("run", "g.pb", "--fetch", "x", "--steps", "0"), "--steps"),
                (("run", "g.pb", "--fetch", "x", "--steps", "many"), "--steps"),
                (("run", "g.pb", "--fetch", "x", "--feed", "x"), "NAME=FILE.npy"),
                (("run", "g.pb", "--fetch", "x", "--feed", "=x.npy"), "NAME=FILE.npy")):
            with self.subTest(arguments):
                self.assertIn(part, self.bad(*arguments, code=berth.USAGE))

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = self.call("devices", "--json", stdout=full)
        self.assertEqual(done.returncode, berth.FAILED)
        self.assertIn("stdout", done.stderr)

    def test_a_reader_that_stops_reading_ends_the_command(self):
        # As `berth ops | head -1` does: no message, no hang.
        done = subprocess.run(f"'{berth.BERTH}' ops --json | head -c 1",
                              shell=True, capture_output=True, timeout=120, check=False)
        self.assertEqual((done.stdout, done.stderr), (b"{", b""))


if __name__ == "__main__":
    berth.main()
