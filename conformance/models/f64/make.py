#!/usr/bin/env python3
"""Makes the .npy files beside it: make.py MODELS_FOLDER, with TensorFlow (make interop's venv).

Runs a golden model's graph in TensorFlow with every float widened to double: the weights are
those that the graph's own initializers make in f32, batch norm is written out as arithmetic.
Of an end point every SAMPLE-th element is kept, in C order.
"""

import json
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, types_pb2

MODELS = ("inception_v3", "resnet_v1_50")
SAMPLE = 101
HERE = os.path.dirname(os.path.abspath(__file__))


def read_graph(path):
    graph = graph_pb2.GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())
    return graph


def frozen(graph, fetches):
    """The graph with the variables' initial values as constants."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph, name="")
        session.run("golden_init")
        return tf.compat.v1.graph_util.convert_variables_to_constants(
            session, graph, [name.split(":")[0] for name in fetches])


def widen_node(node):
    """Turns the node's float attributes and constants into double."""
    for name, attr in node.attr.items():
        if attr.type == types_pb2.DT_FLOAT:
            attr.type = types_pb2.DT_DOUBLE
        if name == "value" and attr.tensor.dtype == types_pb2.DT_FLOAT:
            value = tf.make_ndarray(attr.tensor).astype(np.float64)
            attr.tensor.CopyFrom(tf.make_tensor_proto(value))


def spell_out_batch_norm(node, graph):
    """Adds nodes that compute FusedBatchNormV3 of inference, the last one with its name."""
    x, scale, offset, mean, variance = node.input

    def add(op, name, *inputs):
        new = graph.node.add(op=op, name=name)
        new.input.extend(inputs)
        new.attr["T"].type = types_pb2.DT_DOUBLE
        return name

    prefix = node.name + "/f64_"
    epsilon = graph.node.add(op="Const", name=prefix + "epsilon")
    epsilon.attr["dtype"].type = types_pb2.DT_DOUBLE
    epsilon.attr["value"].tensor.CopyFrom(
        tf.make_tensor_proto(np.float64(np.float32(node.attr["epsilon"].f))))
    spread = add("AddV2", prefix + "spread", variance, epsilon.name)
    factor = add("Mul", prefix + "factor", add("Rsqrt", prefix + "rsqrt", spread), scale)
    centred = add("Sub", prefix + "centred", x, mean)
    add("AddV2", node.name, add("Mul", prefix + "scaled", centred, factor), offset)


def widened(graph):
    result = graph_pb2.GraphDef()
    for node in graph.node:
        if node.op == "FusedBatchNormV3":
            assert not node.attr["is_training"].b, node.name
            spell_out_batch_norm(node, result)
        else:
            new = result.node.add()
            new.CopyFrom(node)
            widen_node(new)
    return result


def run(graph, feeds, fetches):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph, name="")
        return dict(zip(fetches, session.run(fetches, feeds)))


def main(models):
    for model in MODELS:
        folder = os.path.join(models, model)
        with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
            expected = json.load(file)
        files = {"logits:0": "logits.npy", **expected["endpoint_files"]}
        graph = frozen(read_graph(os.path.join(folder, "graph.pb")), list(files))
        image = np.load(os.path.join(folder, "input.npy")).astype(np.float64)
        exact = run(widened(graph), {"input:0": image}, list(files))
        for name, file in files.items():
            want = np.load(os.path.join(folder, file))
            error = np.abs(exact[name] - want).max() / np.abs(exact[name]).max()
            print(f"{model} {name}: TensorFlow's f32 is {error:.2e} of the largest away")
            kept = exact[name] if name == "logits:0" else exact[name].ravel()[::SAMPLE]
            stem = model if name == "logits:0" else f"{model}_{file[:-4]}"
            np.save(os.path.join(HERE, stem + ".npy"), kept)


if __name__ == "__main__":
    main(sys.argv[1])
