"""The C API as a language binding uses it: c_api_ctypes_test.py LIBBERTH.SO."""

import ctypes as c
import json
import threading
import unittest

from c_api_ctypes import (CANCELLED, FLOAT, INVALID_ARGUMENT, LIB, NOT_FOUND, STRING,
                          CallableArgs, Failure, RunCallableArgs, Session, String, WrapArgs,
                          call, list_json, make_floats, names, node, placeholder,
                          read_floats, take_bytes, type_attr)

FULL_TRACE = b"\x08\x03"  # RunOptions.trace_level

ADD_GRAPH = (placeholder("x") + placeholder("y") +
             node("sum", "AddV2", ["x", "y"], type_attr("T", FLOAT)))


class CApiTest(unittest.TestCase):
    def test_lists_devices_plugins_and_ops_as_json(self):
        for function, key in ((LIB.berth_list_devices, "devices"),
                              (LIB.berth_list_plugins, "plugins"),
                              (LIB.berth_list_ops, "ops")):
            self.assertTrue(list_json(function)[key])

    def test_runs_with_named_feeds_and_fetches(self):
        with Session(ADD_GRAPH) as session:
            x, y = make_floats([1, 2], [2]), make_floats([10, 20], [2])
            metadata = c.c_void_p()
            out, = session.run({"x:0": x, "y": y}, ["sum:0"], metadata=metadata,
                               options=FULL_TRACE)
            self.assertEqual(read_floats(out), [11, 22])
            self.assertIn(b"sum", take_bytes(metadata))
            for value in (x, y, out):
                LIB.berth_value_free(value)

    def test_errors_have_code_and_message_and_leave_the_session_usable(self):
        with Session(ADD_GRAPH) as session:
            x = make_floats([1, 2], [2])
            with self.assertRaises(Failure) as unknown:
                session.run({"x:0": x}, ["nope:0"])
            self.assertEqual(unknown.exception.code, NOT_FOUND)
            self.assertIn("nope", unknown.exception.message)
            with self.assertRaises(Failure) as unfed:
                session.run({"x:0": x}, ["sum:0"])
            self.assertEqual(unfed.exception.code, INVALID_ARGUMENT)
            self.assertIn("y", unfed.exception.message)
            out, = session.run({"x:0": x, "y:0": x}, ["sum:0"])
            self.assertEqual(read_floats(out), [2, 4])
            LIB.berth_value_free(out)
            LIB.berth_value_free(x)

    def test_damaged_graph_is_refused(self):
        with self.assertRaises(Failure) as failure:
            Session(ADD_GRAPH[:-3])
        self.assertTrue(failure.exception.message)

    def test_extends_and_explains_placement(self):
        with Session(ADD_GRAPH) as session:
            more = node("twice", "AddV2", ["sum", "sum"], type_attr("T", FLOAT))
            session.extend(more)
            x = make_floats([3], [1])
            out, = session.run({"x:0": x, "y:0": x}, ["twice:0"])
            self.assertEqual(read_floats(out), [12])
            text = c.c_void_p()
            call(LIB.berth_session_placement, session.handle, b"json", c.byref(text))
            nodes = {n["name"]: n for n in json.loads(take_bytes(text))["nodes"]}
            listed = [d["name"] for d in list_json(LIB.berth_list_devices)["devices"]]
            self.assertIn(nodes["twice"]["device"], listed)
            LIB.berth_value_free(out)
            LIB.berth_value_free(x)

    def test_callable_writes_into_recycled_and_wrapped_memory(self):
        with Session(ADD_GRAPH) as session:
            callable_ = c.c_void_p()
            args = CallableArgs(c.sizeof(CallableArgs), 2, 1, 0, 0, names("x:0", "y:0"),
                                names("sum:0"), names())
            call(LIB.berth_make_callable, session.handle, c.byref(args), c.byref(callable_))
            x = make_floats([1, 2], [2])
            inputs = (c.c_void_p * 2)(x.value, x.value)

            outputs = (c.c_void_p * 1)()
            run = RunCallableArgs(c.sizeof(RunCallableArgs), inputs, outputs, None, 0, None)
            call(LIB.berth_run_callable, callable_, c.byref(run))
            first = LIB.berth_value_data(c.c_void_p(outputs[0]))
            call(LIB.berth_run_callable, callable_, c.byref(run))
            self.assertEqual(LIB.berth_value_data(c.c_void_p(outputs[0])), first)
            self.assertEqual(read_floats(c.c_void_p(outputs[0])), [2, 4])
            LIB.berth_value_free(c.c_void_p(outputs[0]))

            for size, fits in ((2, True), (3, False)):
                memory = (c.c_float * size)()
                dims = (c.c_int64 * 1)(size)
                wrap = WrapArgs(c.sizeof(WrapArgs), FLOAT, 1, dims,
                                c.cast(memory, c.c_void_p), 4 * size, None, None)
                value = c.c_void_p()
                call(LIB.berth_value_wrap, c.byref(wrap), c.byref(value))
                outputs[0] = value
                if fits:
                    call(LIB.berth_run_callable, callable_, c.byref(run))
                    self.assertEqual(list(memory), [2, 4])
                else:
                    with self.assertRaises(Failure) as failure:
                        call(LIB.berth_run_callable, callable_, c.byref(run))
                    self.assertEqual(failure.exception.code, INVALID_ARGUMENT)
                    self.assertIn("[3]", failure.exception.message)
                LIB.berth_value_free(value)
            LIB.berth_value_free(x)
            LIB.berth_callable_release(callable_)

    def test_string_tensors_go_in_and_out(self):
        graph = placeholder("s", STRING) + node("t", "Identity", ["s"],
                                                type_attr("T", STRING))
        with Session(graph) as session:
            value = c.c_void_p()
            dims = (c.c_int64 * 1)(2)
            call(LIB.berth_value_create, STRING, dims, 1, c.byref(value))
            for i, text in enumerate((b"one", b"t\0wo")):
                data = c.create_string_buffer(text, len(text))
                call(LIB.berth_value_set_string, value, c.c_int64(i),
                     String(c.cast(data, c.c_void_p), len(text)))
            out, = session.run({"s:0": value}, ["t:0"])
            got = []
            for i in range(2):
                text = String()
                call(LIB.berth_value_get_string, out, c.c_int64(i), c.byref(text))
                got.append(c.string_at(text.data, text.size))
            self.assertEqual(got, [b"one", b"t\0wo"])
            LIB.berth_value_free(value)
            LIB.berth_value_free(out)

    def test_close_cancels_later_runs(self):
        with Session(ADD_GRAPH) as session:
            call(LIB.berth_session_close, session.handle)
            x = make_floats([1], [1])
            with self.assertRaises(Failure) as failure:
                session.run({"x:0": x, "y:0": x}, ["sum:0"])
            self.assertEqual(failure.exception.code, CANCELLED)
            LIB.berth_value_free(x)

    def test_many_threads_run_one_session(self):
        with Session(ADD_GRAPH) as session:
            wrong = []

            def work(number):
                for _ in range(50):
                    x = make_floats([number], [1])
                    out, = session.run({"x:0": x, "y:0": x}, ["sum:0"])
                    if read_floats(out) != [2 * number]:
                        wrong.append(number)
                    LIB.berth_value_free(out)
                    LIB.berth_value_free(x)

            threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
