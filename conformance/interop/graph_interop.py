"""Graphs that berth wrote mean to TensorFlow what they meant before."""

import glob
import os

import interop
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import op_def_registry

tf1 = tf.compat.v1


def canonical(graph, schema):
    """A dict of the graph: inputs without ":0", tensors as arrays, defaults filled in."""
    nodes = {}
    for node in graph.node:
        attrs = {}
        op = schema[node.op]
        for attr in op.attr:
            if attr.HasField("default_value"):
                attrs[attr.name] = attr.default_value
        attrs.update(node.attr)
        values = {}
        for name, value in attrs.items():
            if value.HasField("tensor"):
                array = tf.make_ndarray(value.tensor)
                values[name] = (str(array.dtype), array.shape, array.tobytes()
                                if array.dtype != object else array.tolist())
            else:
                values[name] = value.SerializeToString(deterministic=True)
        inputs = [i[:-2] if i.endswith(":0") else i for i in node.input]
        nodes[node.name] = (node.op, node.device, inputs, values)
    return nodes


class Registry:
    """TensorFlow's OpDefs by name."""

    def __getitem__(self, op):
        return op_def_registry.get(op)


class GraphInteropTest(interop.InteropTest):

    def round_trip(self, data):
        source = self.write("in.pb", data)
        self.tool("graph", source, self.path("out.pb"), self.path("out.pbtxt"))
        binary = tf1.GraphDef.FromString(self.read("out.pb"))
        text = text_format.Parse(self.read("out.pbtxt").decode(), tf1.GraphDef())
        return binary, text

    def compare(self, data, schema):
        before = tf1.GraphDef.FromString(data)
        binary, text = self.round_trip(data)
        self.assertEqual(text, binary)
        self.assertEqual(canonical(binary, schema), canonical(before, schema))
        self.assertEqual(binary.versions, before.versions)

    def test_golden_models(self):
        paths = sorted(glob.glob(os.path.join(interop.GOLDEN, "models", "*", "graph.pb")))
        self.assertEqual(len(paths), 8)
        for path in paths:
            with self.subTest(path), open(path, "rb") as file:
                self.compare(file.read(), Registry())

    def test_a_graph_of_every_kind_of_attribute(self):
        with tf1.Graph().as_default() as graph:
            x = tf1.placeholder(tf.float32, [None, 3], name="x")
            tf1.constant(np.arange(12, dtype=np.float64).reshape(3, 4), name="matrix")
            tf1.constant([b"a", b"\xff\x00"], name="strings")
            tf1.constant(2.5, tf.bfloat16, name="bf16")
            tf1.constant(1.5, tf.float16, shape=[100], name="filled")
            tf1.constant([], tf.int64, name="empty")
            tf1.constant([1 + 2j, 3], tf.complex64, name="complex")
            with tf1.device("/gpu:1"):
                tf1.strided_slice(x, [0, 1], [2, 3], name="slice")
            queue = tf1.FIFOQueue(3, [tf.float32, tf.string], [[2], []], name="queue")
            queue.dequeue(name="take")
            i = tf1.while_loop(lambda i: i < 10, lambda i: i + 1, [0], name="loop")
            tf1.identity(i, name="end")
            variable = tf1.Variable([1.0, 2.0], use_resource=False, name="v")
            tf1.assign_add(variable, [1.0, 1.0], name="update")
        self.compare(graph.as_graph_def().SerializeToString(), Registry())

    def test_while_loop_runs_in_tensorflow_after_the_round_trip(self):
        tf1.disable_control_flow_v2()
        with tf1.Graph().as_default() as graph:
            total = tf1.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i),
                                   [0, 100])
            tf1.identity(total[1], name="total")
        binary, _ = self.round_trip(graph.as_graph_def().SerializeToString())
        with tf1.Graph().as_default(), tf1.Session() as session:
            tf1.import_graph_def(binary, name="")
            self.assertEqual(session.run("total:0"), 110)

    def test_text_that_tensorflow_wrote(self):
        path = os.path.join(interop.GOLDEN, "models", "lenet_train_ref", "graph.pb")
        with open(path, "rb") as file:
            graph = tf1.GraphDef.FromString(file.read())
        source = self.write("in.pbtxt", text_format.MessageToString(graph).encode())
        self.tool("graph-text", source, self.path("out.pb"))
        after = tf1.GraphDef.FromString(self.read("out.pb"))
        self.assertEqual(canonical(after, Registry()), canonical(graph, Registry()))


if __name__ == "__main__":
    interop.main()
