"""What the tests of the berth command share: graphs in text form, .npy files, and runs.

berth_*_test.py BERTH TEST_PLUGINS: the command and the folder with the test plugins.
"""

import ast
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

BERTH, TEST_PLUGINS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DONE, FAILED, USAGE = 0, 1, 2
# ConfigProto { allow_soft_placement: true }.
SOFT_CONFIG = b"\x38\x01"


def node(name, op, inputs=(), device="", **attrs):
    """A NodeDef in text form; an attribute is its AttrValue in text form."""
    text = f'node {{ name: "{name}" op: "{op}"'
    for source in inputs:
        text += f' input: "{source}"'
    if device:
        text += f' device: "{device}"'
    for key, value in attrs.items():
        text += f' attr {{ key: "{key}" value {{ {value} }} }}'
    return text + " }\n"


def shape(*dims):
    return "shape { " + " ".join(f"dim {{ size: {dim} }}" for dim in dims) + " }"


def ints(*values):
    return "list { " + " ".join(f"i: {value}" for value in values) + " }"


FLOAT = "type: DT_FLOAT"


def placeholder(name, *dims, device=""):
    return node(name, "Placeholder", (), device, dtype=FLOAT, shape=shape(*dims))


def scalar(name, value):
    return node(name, "Const", dtype=FLOAT,
                value=f"tensor {{ dtype: DT_FLOAT tensor_shape {{ }} float_val: {value} }}")


def add(name, left, right, device=""):
    return node(name, "AddV2", (left, right), device, T=FLOAT)


def npy(dims, values):
    """The bytes of a float32 .npy, version 1.0, as NumPy's own format page has them."""
    form = "".join(f"{dim}, " for dim in dims)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({form}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack(f"<{len(values)}f", *values))


def read_npy(path):
    """dtype, shape and values of a float32 .npy."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    start = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:start].decode())
    assert header["fortran_order"] is False, header
    count = (len(data) - start) // 4
    return (header["descr"], list(header["shape"]),
            list(struct.unpack(f"<{count}f", data[start:])))


class CommandTest(unittest.TestCase):
    """Runs the command in a folder of its own, with no BERTH_ variable but those given."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def call(self, *arguments, env=None, stdout=subprocess.PIPE):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BERTH_")}
        return subprocess.run([BERTH, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                              encoding="utf-8", cwd=self.folder, env=clean | (env or {}),
                              timeout=120, check=False)

    def good(self, *arguments, env=None):
        """stdout of a call that must succeed and say nothing on stderr."""
        done = self.call(*arguments, env=env)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""), done.stdout)
        return done.stdout

    def good_json(self, *arguments, env=None):
        return json.loads(self.good(*arguments, env=env))

    def bad(self, *arguments, code=FAILED, env=None):
        """stderr of a call that must fail with nothing on stdout."""
        done = self.call(*arguments, env=env)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertTrue(done.stderr.strip())
        return done.stderr


def main():
    del sys.argv[1:3]
    unittest.main()
