"""Settings that TensorFlow's classes wrote, and run metadata that they read."""

import json

import interop
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import timeline


class ConfigInteropTest(interop.InteropTest):

    def test_config_proto(self):
        config = config_pb2.ConfigProto(
            allow_soft_placement=True, log_device_placement=True,
            device_count={"CPU": 2, "GPU": 0}, intra_op_parallelism_threads=3,
            operation_timeout_in_ms=2500)
        config.gpu_options.per_process_gpu_memory_fraction = 0.5
        config.gpu_options.allow_growth = True
        config.gpu_options.visible_device_list = "1,0"
        config.graph_options.place_pruned_graph = True
        config.graph_options.optimizer_options.opt_level = \
            config_pb2.OptimizerOptions.L0
        path = self.write("config.pb", config.SerializeToString())
        self.assertEqual(json.loads(self.tool("config", path)), {
            "allow_soft_placement": True, "log_device_placement": True,
            "device_count": {"CPU": 2, "GPU": 0}, "intra_op_threads": 3,
            "operation_timeout_ms": 2500, "per_process_memory_fraction": 0.5,
            "allow_growth": True, "visible_device_list": "1,0", "optimize": False,
            "place_pruned_graph": True, "aliases": {}})

    def test_defaults(self):
        path = self.write("config.pb", config_pb2.ConfigProto().SerializeToString())
        shown = json.loads(self.tool("config", path))
        self.assertTrue(shown["optimize"])
        self.assertFalse(shown["allow_soft_placement"])

    def test_tensorflow_keeps_and_ignores_what_is_berths_own(self):
        # Field 50000, length-delimited: {device_alias {"GPU": "OPENCL"}}.
        own = b"\x0a\x0d\x0a\x03GPU\x12\x06OPENCL"
        tag = 50000 << 3 | 2
        data = bytes([tag & 127 | 128, tag >> 7 & 127 | 128, tag >> 14, len(own)]) + own
        config = config_pb2.ConfigProto.FromString(data)
        with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as session:
            self.assertEqual(session.run(tf.constant(3)), 3)
        path = self.write("config.pb", config.SerializeToString())
        self.assertEqual(json.loads(self.tool("config", path))["aliases"],
                         {"GPU": "OPENCL"})

    def test_run_metadata(self):
        self.tool("run-metadata", self.path("run.pb"))
        metadata = config_pb2.RunMetadata.FromString(self.read("run.pb"))
        device, = metadata.step_stats.dev_stats
        self.assertEqual(device.device, "/job:localhost/replica:0/task:0/device:CPU:0")
        self.assertEqual([s.node_name for s in device.node_stats], ["mul", "sum"])
        self.assertEqual(device.node_stats[0].all_end_rel_nanos, 3000)
        trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
        names = [e.get("name") for e in json.loads(trace)["traceEvents"]]
        self.assertIn("MatMul", names)


if __name__ == "__main__":
    interop.main()
