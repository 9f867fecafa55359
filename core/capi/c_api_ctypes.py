"""The C API in Python's ctypes, for tests; TESTS LIBBERTH.SO [MORE…].

GraphDefs are encoded by hand from the public .proto definitions
(tensorflow/core/framework/{graph,node_def,attr_value,tensor_shape}.proto).
"""

import ctypes as c
import json
import struct
import sys

FLOAT, INT32, STRING = 1, 3, 7
OK, CANCELLED, INVALID_ARGUMENT, NOT_FOUND = 0, 1, 3, 5
UNIMPLEMENTED, INTERNAL, DATA_LOSS = 12, 13, 15


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
    return (c.c_char_p * max(len(items), 1))(
        *[i if isinstance(i, bytes) else i.encode() for i in items])


def take_bytes(handle):
    data = c.string_at(LIB.berth_bytes_data(handle), LIB.berth_bytes_size(handle))
    LIB.berth_bytes_free(handle)
    return data


def list_json(function):
    """What one of the listing functions gives."""
    out = c.c_void_p()
    call(function, c.byref(out))
    return json.loads(take_bytes(out))


def make_floats(values, shape, dtype=FLOAT):
    """A value of float32, or of another type whose elements have four bytes."""
    handle = c.c_void_p()
    dims = (c.c_int64 * max(len(shape), 1))(*shape)
    call(LIB.berth_value_create, dtype, dims, len(shape), c.byref(handle))
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

    def extend(self, graph):
        call(LIB.berth_session_extend, self.handle, graph, c.c_size_t(len(graph)))

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


LIB = load(sys.argv.pop(1))
