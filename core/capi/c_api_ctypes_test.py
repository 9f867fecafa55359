"""The C API as a language binding uses it: c_api_ctypes_test.py LIBBERTH.SO.

Python's ctypes alone; GraphDefs are encoded by hand from the public .proto definitions
(tensorflow/core/framework/{graph,node_def,attr_value,tensor_shape}.proto).
"""

import ctypes as c
import json
import struct
import sys
import threading
import unittest

FLOAT, STRING = 1, 7
OK, CANCELLED, INVALID_ARGUMENT, NOT_FOUND = 0, 1, 3, 5


def varint(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def attr(name, value):
    return field(5, field(1, name.encode()) + field(2, value))


def type_attr(name, dtype):
    return attr(name, b"\x30" + varint(dtype))


def node(name, op, inputs=(), attrs=b"", device=""):
    text = field(1, name.encode()) + field(2, op.encode())
    for source in inputs:
        text += field(3, source.encode())
    if device:
        text += field(4, device.encode())
    return field(1, text + attrs)


def placeholder(name, dtype=FLOAT):
    return node(name, "Placeholder", (), type_attr("dtype", dtype))


class Error(c.Structure):
    pass


Error._fields_ = [
    ("struct_size", c.c_size_t), ("message", c.c_char_p),
    ("release", c.CFUNCTYPE(None, c.POINTER(Error))), ("private_data", c.c_void_p)]


class SessionArgs(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("graph_def", c.c_char_p),
                ("graph_def_size", c.c_size_t), ("config", c.c_char_p),
                ("config_size", c.c_size_t)]


class RunArgs(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("num_feeds", c.c_uint32),
                ("num_fetches", c.c_uint32), ("num_targets", c.c_uint32),
                ("reserved", c.c_uint32), ("feed_names", c.POINTER(c.c_char_p)),
                ("feeds", c.POINTER(c.c_void_p)), ("fetch_names", c.POINTER(c.c_char_p)),
                ("target_names", c.POINTER(c.c_char_p)), ("run_options", c.c_char_p),
                ("run_options_size", c.c_size_t), ("fetches", c.POINTER(c.c_void_p)),
                ("run_metadata", c.POINTER(c.c_void_p))]


class CallableArgs(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("num_feeds", c.c_uint32),
                ("num_fetches", c.c_uint32), ("num_targets", c.c_uint32),
                ("reserved", c.c_uint32), ("feed_names", c.POINTER(c.c_char_p)),
                ("fetch_names", c.POINTER(c.c_char_p)),
                ("target_names", c.POINTER(c.c_char_p))]


class RunCallableArgs(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("inputs", c.POINTER(c.c_void_p)),
                ("outputs", c.POINTER(c.c_void_p)), ("run_options", c.c_char_p),
                ("run_options_size", c.c_size_t), ("run_metadata", c.POINTER(c.c_void_p))]


class WrapArgs(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("dtype", c.c_int32), ("rank", c.c_int32),
                ("dims", c.POINTER(c.c_int64)), ("data", c.c_void_p), ("size", c.c_uint64),
                ("release", c.c_void_p), ("release_arg", c.c_void_p)]


class String(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_uint64)]


def load(path):
    lib = c.CDLL(path)
    lib.berth_version.restype = c.c_char_p
    for name in ("berth_bytes_data", "berth_value_data"):
        getattr(lib, name).restype = c.c_void_p
    lib.berth_bytes_size.restype = c.c_size_t
    lib.berth_value_dim.restype = c.c_int64
    lib.berth_value_num_elements.restype = c.c_int64
    for name in ("berth_bytes_data", "berth_bytes_size", "berth_bytes_free",
                 "berth_value_data", "berth_value_dtype", "berth_value_rank",
                 "berth_value_num_elements", "berth_value_free", "berth_session_release",
                 "berth_callable_release"):
        getattr(lib, name).argtypes = [c.c_void_p]
    lib.berth_value_dim.argtypes = [c.c_void_p, c.c_int32]
    return lib


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def call(function, *args):
    """Calls with an error at the end; raises Failure with code and message."""
    error = Error()
    error.struct_size = c.sizeof(error)
    code = function(*args, c.byref(error))
    if code == OK:
        return
    message = (error.message or b"").decode()
    if error.release:
        error.release(c.byref(error))
    raise Failure(code, message)


def names(*items):
    return (c.c_char_p * max(len(items), 1))(*[i.encode() for i in items])


def take_bytes(handle):
    data = c.string_at(LIB.berth_bytes_data(handle), LIB.berth_bytes_size(handle))
    LIB.berth_bytes_free(handle)
    return data


def make_floats(values, shape):
    handle = c.c_void_p()
    dims = (c.c_int64 * max(len(shape), 1))(*shape)
    call(LIB.berth_value_create, FLOAT, dims, len(shape), c.byref(handle))
    c.memmove(LIB.berth_value_data(handle), struct.pack(f"{len(values)}f", *values),
              4 * len(values))
    return handle


def read_floats(handle):
    count = LIB.berth_value_num_elements(handle)
    return list(struct.unpack(f"{count}f", c.string_at(LIB.berth_value_data(handle),
                                                       4 * count)))


class Session:
    def __init__(self, graph, config=b""):
        self.handle = c.c_void_p()
        args = SessionArgs(c.sizeof(SessionArgs), graph, len(graph), config, len(config))
        call(LIB.berth_session_create, c.byref(args), c.byref(self.handle))

    def run(self, feeds, fetches, targets=(), metadata=None, options=b""):
        out = (c.c_void_p * max(len(fetches), 1))()
        args = RunArgs(
            c.sizeof(RunArgs), len(feeds), len(fetches), len(targets), 0,
            names(*feeds), (c.c_void_p * max(len(feeds), 1))(*[v.value for v in
                                                               feeds.values()]),
            names(*fetches), names(*targets), options, len(options), out,
            c.pointer(metadata) if metadata is not None else None)
        call(LIB.berth_session_run, self.handle, c.byref(args))
        return [c.c_void_p(v) for v in out[:len(fetches)]]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        LIB.berth_session_release(self.handle)


FULL_TRACE = b"\x08\x03"  # RunOptions.trace_level

ADD_GRAPH = (placeholder("x") + placeholder("y") +
             node("sum", "AddV2", ["x", "y"], type_attr("T", FLOAT)))


class CApiTest(unittest.TestCase):
    def test_lists_devices_plugins_and_ops_as_json(self):
        for function, key in ((LIB.berth_list_devices, "devices"),
                              (LIB.berth_list_plugins, "plugins"),
                              (LIB.berth_list_ops, "ops")):
            out = c.c_void_p()
            call(function, c.byref(out))
            self.assertTrue(json.loads(take_bytes(out))[key])

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
            call(LIB.berth_session_extend, session.handle, more, c.c_size_t(len(more)))
            x = make_floats([3], [1])
            out, = session.run({"x:0": x, "y:0": x}, ["twice:0"])
            self.assertEqual(read_floats(out), [12])
            text = c.c_void_p()
            call(LIB.berth_session_placement, session.handle, b"json", c.byref(text))
            nodes = {n["name"]: n for n in json.loads(take_bytes(text))["nodes"]}
            self.assertIn("/device:", nodes["twice"]["device"])
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


LIB = load(sys.argv.pop(1))

if __name__ == "__main__":
    unittest.main()
