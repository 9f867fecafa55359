"""Every field of berth's protos has TensorFlow's number, type and label."""

import interop
from google.protobuf import descriptor_pb2, descriptor_pool
from tensorflow.core.example import example_pb2  # noqa: F401 (these register the messages)
from tensorflow.core.framework import summary_pb2, variable_pb2  # noqa: F401
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2  # noqa: F401
from tensorflow.core.protobuf import saved_model_pb2, tensor_bundle_pb2  # noqa: F401
from tensorflow.core.util import event_pb2, saved_tensor_slice_pb2  # noqa: F401
from tensorflow.python.training import checkpoint_state_pb2  # noqa: F401

# What berth leaves to the unknown fields, and the one field that is its own.
LEFT_OUT = {
    "GraphDef.debug_info", "ConfigProto.rpc_options", "ConfigProto.cluster_def",
    "ConfigProto.Experimental.coordination_config", "RunOptions.debug_options",
    "RewriterConfig.inter_optimizer_verifier_config",
    "RewriterConfig.post_optimization_verifier_config",
}
OWN_MESSAGES = ("BerthOptions",)
OWN_FIELDS = {"ConfigProto.berth"}


def messages(proto, prefix):
    for message in proto:
        name = prefix + message.name
        yield name, message
        yield from messages(message.nested_type, name + ".")


def enums(file):
    for enum in file.enum_type:
        yield enum.name, enum
    for name, message in messages(file.message_type, ""):
        for enum in message.enum_type:
            yield name + "." + enum.name, enum


def wire_type(name):
    return name.replace(".berth.tf.", "").replace(".tensorflow.", "")


def shape(field):
    return (field.number, field.type, field.label, wire_type(field.type_name))


class ProtoInteropTest(interop.InteropTest):

    def setUp(self):
        super().setUp()
        with open(interop.DESCRIPTORS, "rb") as file:
            files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
        self.files = [f for f in files.file if f.package == "berth.tf"]
        self.pool = descriptor_pool.Default()

    def theirs(self, name):
        proto = descriptor_pb2.DescriptorProto()
        self.pool.FindMessageTypeByName("tensorflow." + name).CopyToProto(proto)
        return proto

    def test_fields(self):
        count = 0
        for file in self.files:
            for name, message in messages(file.message_type, ""):
                if name.startswith(OWN_MESSAGES):
                    continue
                if message.options.map_entry:
                    continue
                theirs = {f.name: f for f in self.theirs(name).field}
                ours = {f.name: f for f in message.field
                        if f"{name}.{f.name}" not in OWN_FIELDS}
                missing = {f"{name}.{f}" for f in theirs} - {f"{name}.{f}" for f in ours}
                self.assertLessEqual(missing, LEFT_OUT, name)
                for field_name, field in ours.items():
                    self.assertIn(field_name, theirs, name)
                    self.assertEqual(shape(field), shape(theirs[field_name]),
                                     f"{name}.{field_name}")
                    count += 1
        self.assertGreater(count, 500)

    def test_enums(self):
        count = 0
        for file in self.files:
            for name, enum in enums(file):
                if name.startswith(OWN_MESSAGES):
                    continue
                theirs = self.pool.FindEnumTypeByName("tensorflow." + name)
                self.assertEqual({v.name: v.number for v in enum.value},
                                 {v.name: v.number for v in theirs.values}, name)
                count += 1
        self.assertGreater(count, 10)

    def test_file_names_differ_from_tensorflows(self):
        for file in self.files:
            self.assertTrue(file.name.startswith("berth/proto/"), file.name)


if __name__ == "__main__":
    interop.main()
