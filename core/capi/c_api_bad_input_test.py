"""Bad input through the C API: one clear error each, and everything stays usable.

c_api_bad_input_test.py LIBBERTH.SO TEST_PLUGINS
"""

import ctypes as c
import os
import random
import shutil
import sys
import tempfile
import unittest

from c_api_ctypes import (DATA_LOSS, FLOAT, INT32, INTERNAL, INVALID_ARGUMENT, LIB,
                          NOT_FOUND, UNIMPLEMENTED, CallableArgs, Failure, RunArgs, Session,
                          attr, call, field, list_json, make_floats, names, node,
                          placeholder, read_floats, type_attr, varint)

TEST_PLUGINS = os.path.abspath(sys.argv.pop(1))
INVALID = INVALID_ARGUMENT
DOUBLE = 2
T = type_attr("T", FLOAT)
SUM = placeholder("x") + placeholder("y") + node("net/sum", "AddV2", ["x", "y"], T)


def shaped(name, dims):
    sizes = b"".join(field(2, b"\x08" + varint(dim)) for dim in dims)
    return node(name, "Placeholder", (),
                type_attr("dtype", FLOAT) + attr("shape", field(7, sizes)))


def float_attr(name, four_bytes):
    return attr(name, b"\x25" + four_bytes)


NAN = b"\x00\x00\xc0\x7f"


class UsableTest(unittest.TestCase):
    """After every case the session that was there before still runs."""

    @classmethod
    def setUpClass(cls):
        cls.session = Session(SUM)
        cls.x = make_floats([1, 2], [2])

    def tearDown(self):
        out, = self.session.run({"x:0": self.x, "y:0": self.x}, ["net/sum:0"])
        self.assertEqual(read_floats(out), [2, 4])
        LIB.berth_value_free(out)


class BadInputTest(UsableTest):
    def refused(self, code, parts, call_it, *arguments):
        with self.assertRaises(Failure) as caught:
            call_it(*arguments)
        failure = caught.exception
        self.assertEqual(failure.code, code, failure.message)
        for part in parts:
            self.assertIn(part, failure.message)
        self.assertEqual(failure.message, failure.message.strip())
        return failure.message

    def refused_graph(self, code, parts, graph):
        """The graph makes no session, and adds nothing to one that is there."""
        message = self.refused(code, parts, Session, graph)
        self.assertEqual(self.refused(code, parts, self.session.extend, graph), message)
        return message

    def test_graphs_that_contradict_themselves(self):
        x = placeholder("in")
        for parts, graph in (
                (("'n'", "AddV2", "'gone'", "no node"),
                 x + node("n", "AddV2", ["in", "gone"], T)),
                (("'n'", "AddV2", "output 3 of 'in'", "1 output"),
                 x + node("n", "AddV2", ["in", "in:3"], T)),
                (("'n'", "AddV2", "needs 2"), x + node("n", "AddV2", ["in"], T)),
                (("'n'", "AddV2", "needs 2"), x + node("n", "AddV2", ["in"] * 3, T)),
                (("cycle", "'a'", "'n'", "NextIteration"),
                 x + node("a", "Neg", ["n"], T) + node("n", "AddV2", ["in", "a"], T)),
                (("cycle", "'n'"), x + node("n", "AddV2", ["in", "n"], T)),
                (("cycle", "'n'", "'c'"),
                 x + node("n", "Neg", ["in", "^c"], T) + node("c", "NoOp", ["^n"])),
                (("'n'", "'T'", "missing"), x + node("n", "AddV2", ["in", "in"])),
                (("'n'", "AddV2", "no attribute 'Q'", "'T'"),
                 x + node("n", "AddV2", ["in", "in"], T + type_attr("Q", FLOAT))),
                (("'n'", "'T'", "99"),
                 x + node("n", "AddV2", ["in", "in"], type_attr("T", 99))),
                (("'n'", "double", "'in:0'", "float", "Cast"),
                 x + node("n", "AddV2", ["in", "in"], type_attr("T", DOUBLE))),
                (("'n'", "LeakyRelu", "'alpha'", "NaN"),
                 x + node("n", "LeakyRelu", ["in"], T + float_attr("alpha", NAN))),
                (("unique", "'in'"), x + x),
                (("'a b'", "not valid"), node("a b", "NoOp"))):
            with self.subTest(parts):
                self.refused_graph(INVALID, parts, graph)

    def test_unknown_ops_are_listed_together(self):
        graph = (placeholder("in") + node("n", "Matmul", ["in", "in"], T) +
                 node("m", "Frobnicate", ["in"]))
        parts = ("2 ops", "'Matmul' (node 'n'", "did you mean 'MatMul'",
                 "'Frobnicate' (node 'm')", "plugin")
        self.refused_graph(NOT_FOUND, parts, graph)

    def test_cut_graph_is_data_loss_or_whole_nodes(self):
        graph = placeholder("in") + node("n", "Neg", ["in"], T)
        whole = {0, len(placeholder("in")), len(graph)}
        for size in range(len(graph) + 1):
            if size in whole:
                with Session(graph[:size]):
                    continue
            self.refused(DATA_LOSS, ("GraphDef", "byte"), Session, graph[:size])

    def test_damaged_graph_never_takes_the_process_along(self):
        # Each damage gives a message, or a graph that runs or says why it does not.
        graph = shaped("in", [2]) + node("n", "LeakyRelu", ["in"],
                                         T + float_attr("alpha", b"\0\0\0\x3f"))
        chance = random.Random(20170214)
        outcomes = {"ran": 0, "refused": 0}
        for _ in range(3000):
            bad = bytearray(graph)
            for _ in range(chance.randint(1, 3)):
                bad[chance.randrange(len(bad))] = chance.randrange(256)
            try:
                with Session(bytes(bad)) as session:
                    out, = session.run({"in": self.x}, ["n"])
                    LIB.berth_value_free(out)
                    outcomes["ran"] += 1
            except Failure as failure:
                self.assertTrue(failure.message)
                self.assertNotEqual(failure.code, INTERNAL, failure.message)
                outcomes["refused"] += 1
        self.assertGreater(outcomes["refused"], 1000, outcomes)

    def test_messages_are_text_whatever_the_names_are(self):
        # A terminal's escape, a NUL that would end the message, a byte that is no UTF-8.
        self.refused_graph(INVALID, (r"'a\x1b\x00'", "must begin"),
                           placeholder("a\x1b\0"))
        self.refused(INVALID, (r"'q\xaa'",), self.session.run, {}, [b"q\xaa"])

    def test_config_that_is_none(self):
        self.refused(DATA_LOSS, ("ConfigProto",), Session, SUM, b"\xff\xff\xff")
        # ConfigProto.gpu_options (6) { visible_device_list (5) }.
        for text in (b"x", b"0,0", b"-1"):
            config = field(6, field(5, text))
            self.refused(INVALID, ("visible_device_list", text.decode()), Session,
                         SUM, config)
        # gpu_options.per_process_gpu_memory_fraction (1): 1.75.
        self.refused(INVALID, ("memory_fraction", "1.75"), Session, SUM,
                     field(6, b"\x09\0\0\0\0\0\0\xfc\x3f"))

    def test_feeds_that_do_not_fit(self):
        with Session(shaped("x", [2, 3]) + node("n", "Neg", ["x"], T)) as session:
            for code, parts, feeds in (
                    (INVALID, ("'x:0'", "float", "[2,3]", "[2]"),
                     {"x:0": self.x}),
                    (INVALID, ("'x:0'", "float", "int32"),
                     {"x": make_floats([0] * 6, [2, 3], INT32)}),
                    (INVALID, ("must feed", "'x'", "float"), {}),
                    (INVALID, ("'x'", "twice"), {"x:0": self.x, "x": self.x}),
                    (INVALID, ("'x:1'", "one output, 'x:0'"), {"x:1": self.x}),
                    (NOT_FOUND, ("'q'", "2 nodes"), {"q:0": self.x}),
                    (INVALID, ("'x'", "NULL"), {"x": c.c_void_p()})):
                with self.subTest(parts):
                    self.refused(code, parts, session.run, feeds, ["n:0"])
            out, = session.run({"x": make_floats(range(6), [2, 3])}, ["n"])
            self.assertEqual(read_floats(out), [0, -1, -2, -3, -4, -5])
            LIB.berth_value_free(out)
        self.refused(INVALID, ("'net/sum'", "AddV2", "[2]", "[3]"), self.session.run,
                     {"x": self.x, "y": make_floats([1, 2, 3], [3])}, ["net/sum"])

    def test_fetches_and_targets_that_are_not_there(self):
        feeds = {"x": self.x, "y": self.x}
        for code, parts, fetches, targets in (
                (NOT_FOUND, ("fetch 'nope:0'", "'nope'", "3 nodes"), ["nope:0"], []),
                (NOT_FOUND, ("'sum'", "did you mean 'net/sum'?"), ["sum:0"], []),
                (NOT_FOUND, ("target 'SUM'", "did you mean 'net/sum'?"), [], ["SUM"]),
                (INVALID, ("'net/sum:7'", "AddV2", "one output"), ["net/sum:7"], []),
                (INVALID, ("'net/sum:-1'", "number"), ["net/sum:-1"], []),
                (INVALID, ("'^net/sum'", "target"), ["^net/sum"], []),
                (INVALID, ("''",), [""], []),
                (INVALID, ("at least one",), [], [])):
            with self.subTest(parts):
                self.refused(code, parts, self.session.run, feeds, fetches, targets)

    def test_names_that_are_null(self):
        out = (c.c_void_p * 1)()
        null = (c.c_char_p * 1)()
        run = RunArgs(c.sizeof(RunArgs), 0, 1, 0, 0, None, None, null, None, None, 0, out)
        self.refused(INVALID, ("fetch 0", "NULL"), call, LIB.berth_session_run,
                     self.session.handle, c.byref(run))
        made = c.c_void_p()
        args = CallableArgs(c.sizeof(CallableArgs), 0, 1, 1, 0, None, names("x"), null)
        self.refused(INVALID, ("target 0", "NULL"), call, LIB.berth_make_callable,
                     self.session.handle, c.byref(args), c.byref(made))
        self.refused(INVALID, ("path", "NULL"), call, LIB.berth_load_plugin, None)

    def run_on(self, device, soft=False):
        # ConfigProto.allow_soft_placement (7).
        with Session(placeholder("x") + node("n", "Neg", ["x"], T, device),
                     b"\x38\x01" if soft else b"") as session:
            out, = session.run({"x": self.x}, ["n"])
            self.assertEqual(read_floats(out), [-1, -2])
            LIB.berth_value_free(out)

    def test_device_names_that_are_none_are_quoted(self):
        for name in ("/job:/replica:0/task:0/cpu:0", "/gpu", "gpu:0", "/device:GPU:-1",
                     "/gpu:4294967296", "/Cpu:0", "cpu", "//cpu:0", "/device:CPU:0/",
                     "/device:CPU:0:1", "/device::0", "/job:worker:0/cpu:0", "/cpu:", "/ "):
            for soft in (False, True):
                with self.subTest(name):
                    self.refused(INVALID, (f"'{name}'", "'n'", "Neg", "/cpu:N"),
                                 self.run_on, name, soft)
        # ConfigProto.berth (50000) { default_device (2) }: refused with the session.
        self.refused(INVALID, ("default_device", "'gpu:0'"), Session, SUM,
                     field(50000, field(2, b"gpu:0")))

    def test_device_names_that_ask_for_nothing_or_anything(self):
        for name in ("", "/", "/device:CPU:0", "/CPU:0", "/cpu:*", "/device:*:*", "/job:*",
                     "/job:localhost/replica:0/task:0/cpu:0"):
            self.run_on(name)
        for device in list_json(LIB.berth_list_devices)["devices"]:
            self.run_on(device["name"])

    def test_devices_that_are_absent(self):
        for name in ("/device:gpu:0", "/device:NPU:3", "/cpu:77"):
            message = self.refused(INVALID, ("'n'", "Neg", "T=float", name,
                                                      "does not exist", "soft placement",
                                                      "device:CPU:0"), self.run_on, name)
            self.assertEqual(message.count("Cannot assign"), 1)
            self.run_on(name, soft=True)
        self.refused(INVALID, ("did you mean /device:GPU:0?",), self.run_on,
                     "/device:gpu:0")
        # Soft placement never leaves the job.
        for soft in (False, True):
            self.refused(INVALID, ("/job:worker", "never its job"), self.run_on,
                         "/job:worker/cpu:0", soft)

    def test_colocated_nodes_that_ask_for_different_devices(self):
        near = attr("_class", field(1, field(2, b"loc:@x")))
        graph = node("x", "Placeholder", (), type_attr("dtype", FLOAT), "/device:CPU:0")
        graph += node("n", "Neg", ["x"], T + near, "/device:NPU:0")
        with Session(graph) as session:
            self.refused(INVALID, ("'n'", "/device:NPU:0", "'x'", "/device:CPU:0"),
                         session.run, {"x": self.x}, ["n"])
        with Session(graph, b"\x38\x01") as session:
            session.run({"x": self.x}, ["n"])
        nowhere = attr("_class", field(1, field(2, b"loc:@nowhere")))
        self.refused_graph(INVALID, ("'n'", "'nowhere'"),
                           placeholder("in") + node("n", "Neg", ["in"], T + nowhere))

    def test_ops_that_are_not_written_yet(self):
        kinds = attr("component_types", field(1, b"\x30\x01"))
        with Session(placeholder("x") + node("q", "FIFOQueueV2", (), kinds) +
                     node("size", "QueueSizeV2", ["q"])) as session:
            self.refused(UNIMPLEMENTED, ("'size'", "QueueSizeV2", "feed its output"),
                         session.run, {}, ["size"])
            made = c.c_void_p()
            args = CallableArgs(c.sizeof(CallableArgs), 0, 1, 0, 0, names(), names("size"),
                                names())
            self.refused(UNIMPLEMENTED, ("'size'",), call, LIB.berth_make_callable,
                         session.handle, c.byref(args), c.byref(made))
            out, = session.run({"x": self.x}, ["x"])
            self.assertEqual(read_floats(out), [1, 2])
            LIB.berth_value_free(out)

    def test_ops_without_a_kernel_name_what_exists(self):
        with Session(placeholder("x") + node("n", "Acosh", ["x"], T)) as session:
            self.refused(INVALID, ("'n'", "Acosh", "T=float", "CPU", "plugin"),
                         session.run, {"x": self.x}, ["n"])


class BadPluginTest(UsableTest):
    """Each bad kind is refused with its stage and remedy; sessions go on."""

    def load(self, name):
        path = os.path.join(TEST_PLUGINS, f"libberth_test_{name}.so")
        self.assertTrue(os.path.exists(path), path)
        call(LIB.berth_load_plugin, path.encode())

    def record(self):
        return list_json(LIB.berth_list_plugins)["plugins"][-1]

    def test_each_bad_kind(self):
        self.load("good")
        devices = list_json(LIB.berth_list_devices)
        for name, stage, parts in (
                ("no_symbol", "symbol", ("undefined symbol: berth_plugin_query",)),
                ("too_old", "version", ("ABI 0.0, host: ABI 0.1",)),
                ("too_new", "version", ("ABI 1.0 to 1.2, host: ABI 0.1",)),
                ("refuses", "init", ("needs driver 470 or newer",)),
                ("refuses_version", "version", ("made for ABI 7.0",)),
                ("missing_library", "missing library", ("libberth_test_gone.so",)),
                ("throws_in_query", "init", ("the query of this plugin is broken",)),
                ("throws_in_init", "init", ("the init of this plugin is broken",)),
                ("throws_in_enumerate", "init", ("the device list of this plugin",)),
                ("throws_a_number", "init", ("something that is no exception",)),
                ("rival", "register", ("device type GOOD", "libberth_test_good.so")),
                ("namesake", "register", ("'good'", "libberth_test_good.so")),
                ("redefines_op", "register", ("MatMul",)),
                ("half_good_ops", "register", ("MatMul",)),
                ("garbled_op", "register", ("no serialized OpDef",))):
            with self.subTest(name):
                with self.assertRaises(Failure) as caught:
                    self.load(name)
                message = caught.exception.message
                record = self.record()
                self.assertEqual(record["stage"], stage)
                self.assertTrue(record["remedy"])
                for part in (*parts, name, stage, record["remedy"]):
                    self.assertIn(part, message)
                self.assertEqual(list_json(LIB.berth_list_devices), devices)
                self.tearDown()

    def test_no_device_is_loaded_and_says_why(self):
        self.load("no_device")
        record = self.record()
        self.assertEqual((record["stage"], record["devices"], record["message"]),
                         ("no device", [], "the driver found no adapter"))

    def test_the_same_file_twice_is_no_error(self):
        self.load("good")
        self.load("good")
        self.assertEqual(self.record()["stage"], "duplicate")

    def test_a_plugin_with_its_own_protobuf(self):
        self.load("own_protobuf")
        self.assertIn(self.record()["stage"], ("loaded", "no device", "duplicate"))

    def test_files_that_are_no_plugins(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            text = os.path.join(folder, "notes.so")
            with open(text, "w", encoding="utf-8") as file:
                file.write("no library, whatever its name says\n" * 9)
            writable = os.path.join(folder, "writable.so")
            shutil.copy(os.path.join(TEST_PLUGINS, "libberth_test_good.so"), writable)
            os.chmod(writable, 0o666)
            for path, stage, part in (
                    (os.path.join(folder, "gone.so"), "find", "No such file"),
                    (folder, "find", "folder"),
                    (text, "open", "invalid ELF header"),
                    (writable, "permissions", "chmod o-w")):
                with self.assertRaises(Failure) as caught:
                    call(LIB.berth_load_plugin, path.encode())
                self.assertIn(part, caught.exception.message)
                self.assertEqual(self.record()["stage"], stage)


if __name__ == "__main__":
    unittest.main()
