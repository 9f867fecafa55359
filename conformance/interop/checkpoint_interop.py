"""Checkpoints of one, read by the other."""

import json
import os
import shutil

import interop
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

tf1 = tf.compat.v1

VALUES = {
    "f32": np.arange(6, dtype=np.float32).reshape(2, 3), "f64": np.float64(0.1),
    "f16": np.float16([1.5, -2]), "bool": np.array([True, False]),
    "i8": np.int8([-1, 127]), "u16": np.uint16([65535]), "i64": np.int64(2**40),
    "c64": np.complex64([1 + 2j]), "c128": np.complex128([3 - 1j]),
    "empty": np.zeros([0, 4], np.float32), "u32": np.uint32([4000000000]),
}
STRINGS = [b"", b"two\x00bytes", b"x" * 300]


class CheckpointInteropTest(interop.InteropTest):

    def save(self, prefix, partitioned=True):
        """Saves VALUES, STRINGS and a partitioned variable with TensorFlow."""
        with tf1.Graph().as_default(), tf1.Session() as session:
            for name, value in VALUES.items():
                tf1.Variable(value, name=name, use_resource=False)
            tf1.Variable(STRINGS, name="s", use_resource=False)
            if partitioned:
                with tf1.variable_scope(
                        "", partitioner=tf1.fixed_size_partitioner(3, axis=0)):
                    tf1.get_variable("part", initializer=tf1.constant(
                        np.arange(20, dtype=np.float32).reshape(10, 2)),
                                     use_resource=False)
            session.run(tf1.global_variables_initializer())
            return tf1.train.Saver().save(session, prefix, write_meta_graph=False)

    def expect_values(self, prefix, partitioned=True):
        """Reads a checkpoint with TensorFlow."""
        reader = tf.train.load_checkpoint(prefix)
        for name, value in VALUES.items():
            got = reader.get_tensor(name)
            self.assertEqual(got.dtype, value.dtype)
            np.testing.assert_array_equal(got, value)
        self.assertEqual(list(reader.get_tensor("s")), STRINGS)
        if partitioned:
            np.testing.assert_array_equal(reader.get_tensor("part"),
                                          np.arange(20).reshape(10, 2))
        extra = ["part"] if partitioned else []
        self.assertEqual(sorted(reader.get_variable_to_shape_map()),
                         sorted([*VALUES, "s", *extra]))

    def test_berth_reads_what_tensorflow_wrote(self):
        prefix = self.save(self.path("model"))
        os.mkdir(self.path("dump"))
        names = json.loads(self.tool("checkpoint-dump", prefix, self.path("dump")))
        self.assertEqual(sorted(names), sorted([*VALUES, "s", "part"]))
        for index, name in enumerate(names):
            base = os.path.join("dump", str(index))
            if name == "s":
                proto = tensor_pb2.TensorProto.FromString(self.read(base + ".tensorproto"))
                self.assertEqual(list(proto.string_val), STRINGS)
                continue
            got = np.load(self.path(base + ".npy"))
            want = VALUES.get(name, np.arange(20, dtype=np.float32).reshape(10, 2))
            self.assertEqual(got.dtype, want.dtype)
            np.testing.assert_array_equal(got, want)

    def test_tensorflow_reads_what_berth_wrote(self):
        prefix = self.save(self.path("model"))
        self.tool("checkpoint-copy", prefix, self.path("copy"))
        self.expect_values(self.path("copy"))

    def test_tensorflow_reads_what_berth_merged(self):
        prefix = self.save(self.path("model"))
        self.tool("checkpoint-split", prefix, self.path("copy"))
        self.assertTrue(os.path.exists(self.path("copy.data-00001-of-00002")))
        self.expect_values(self.path("copy"))

    def test_a_session_restores_berths_checkpoint(self):
        prefix = self.save(self.path("model"), partitioned=False)
        self.tool("checkpoint-copy", prefix, self.path("copy"))
        with tf1.Graph().as_default(), tf1.Session() as session:
            variables = {name: tf1.Variable(np.zeros_like(value), name=name)
                         for name, value in VALUES.items()}
            tf1.train.Saver(variables).restore(session, self.path("copy"))
            for name, variable in variables.items():
                np.testing.assert_array_equal(session.run(variable), VALUES[name])

    def test_state_files_both_ways(self):
        first = self.save(self.path("m-1"), partitioned=False)
        second = self.save(self.path("m-2"), partitioned=False)
        self.assertEqual(self.tool("latest", self.folder).strip(), second)
        self.tool("save-state", self.folder, second, first)
        self.assertEqual(tf.train.latest_checkpoint(self.folder), first)
        moved = self.path("moved")
        os.mkdir(moved)
        for name in os.listdir(self.folder):
            if name != "moved":
                shutil.move(self.path(name), moved)
        self.assertEqual(tf.train.latest_checkpoint(moved), os.path.join(moved, "m-1"))
        self.assertEqual(self.tool("latest", moved).strip(), os.path.join(moved, "m-1"))


if __name__ == "__main__":
    interop.main()
