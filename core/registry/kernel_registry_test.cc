#include "core/registry/kernel_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "core/ops/op_schema.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/node_abi.h"

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeKernel;
using testing::FakePlugin;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FakeKernel Kernel(const std::string& op, const std::string& device_type,
                  std::vector<std::pair<std::string, std::vector<DType>>> types = {}) {
  FakeKernel kernel;
  kernel.op = op;
  kernel.device_type = device_type;
  kernel.types = std::move(types);
  return kernel;
}

class KernelRegistryTest : public ::testing::Test {
 protected:
  Node* Add(const std::string& name, const std::string& op,
            std::vector<std::pair<std::string, AttrValue>> attrs,
            std::vector<OutputRef> inputs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    spec.inputs = std::move(inputs);
    Result<Node*> node = graph_.AddNode(std::move(spec));
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return node.ok() ? *node : nullptr;
  }
  Node* Placeholder(const std::string& name, DType dtype) {
    return Add(name, "Placeholder", {{"dtype", AttrValue::Type(dtype)}});
  }
  // A MatMul of two placeholders.
  Node* MatMul(const std::string& name, DType dtype,
               std::vector<std::pair<std::string, AttrValue>> more = {}) {
    Node* a = Placeholder(name + "_a", dtype);
    Node* b = Placeholder(name + "_b", dtype);
    more.emplace_back("T", AttrValue::Type(dtype));
    return Add(name, "MatMul", std::move(more), {{a, 0}, {b, 0}});
  }
  Status Register(std::vector<FakeKernel> kernels, const std::string& plugin = "fake",
                  const KernelRegistry::TypeNames& names = {}) {
    plugins_.push_back(std::make_unique<FakePlugin>(
        plugin, std::vector<testing::FakeDevices>{}, std::move(kernels)));
    return registry_.RegisterPlugin(plugins_.back()->table(), names);
  }

  Graph graph_{OpRegistry::Global()};
  std::vector<std::unique_ptr<FakePlugin>> plugins_;
  KernelRegistry registry_;
};

TEST_F(KernelRegistryTest, FindsTheRowWhoseTypeFits) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU", {{"T", {BERTH_FLOAT}}}),
                        Kernel("MatMul", "GPU", {{"T", {BERTH_HALF}}})})
                  .ok());
  const KernelMatch match = registry_.Find(*MatMul("m", BERTH_HALF), "GPU");
  ASSERT_TRUE(match.ok());
  EXPECT_EQ(match.entry->def->constraints[0]->dtypes[0], BERTH_HALF);
  EXPECT_EQ(match.entry->plugin, "fake");
}

TEST_F(KernelRegistryTest, WrongTypeNamesAttributeTypeAndWhatExists) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU", {{"T", {BERTH_FLOAT}}}),
                        Kernel("MatMul", "GPU", {{"T", {BERTH_HALF}}})})
                  .ok());
  const KernelMatch match = registry_.Find(*MatMul("m", BERTH_INT32), "GPU");
  EXPECT_FALSE(match.ok());
  EXPECT_EQ(match.code, RejectCode::kDType);
  EXPECT_EQ(match.reason, "T is int32; GPU has MatMul for T = float, half");
}

TEST_F(KernelRegistryTest, MissingOpNamesTheDevicesThatHaveIt) {
  ASSERT_TRUE(
      Register({Kernel("MatMul", "CPU", {{"T", {BERTH_FLOAT, BERTH_DOUBLE}}})}).ok());
  const KernelMatch match = registry_.Find(*MatMul("m", BERTH_FLOAT), "GPU");
  EXPECT_EQ(match.code, RejectCode::kNoKernel);
  EXPECT_EQ(match.reason,
            "GPU has no kernel for MatMul; there is CPU: T = float, double");
}

TEST_F(KernelRegistryTest, HighestPriorityWinsThenTableOrder) {
  FakeKernel low = Kernel("MatMul", "GPU");
  FakeKernel high = Kernel("MatMul", "GPU");
  FakeKernel high_too = Kernel("MatMul", "GPU");
  high.priority = high_too.priority = 3;
  ASSERT_TRUE(Register({low, high, high_too}).ok());
  const KernelMatch match = registry_.Find(*MatMul("m", BERTH_FLOAT), "GPU");
  ASSERT_TRUE(match.ok());
  EXPECT_EQ(match.entry->order, 2);
}

TEST_F(KernelRegistryTest, RefusalCarriesThePluginsWords) {
  FakeKernel picky = Kernel("MatMul", "GPU");
  picky.supports = [](const berth_node& node) -> std::string {
    for (uint32_t i = 0; i < node.num_attrs; ++i) {
      if (std::strcmp(node.attrs[i]->name, "transpose_a") == 0 && node.attrs[i]->i != 0) {
        return "transpose_a is true";
      }
    }
    return "";
  };
  ASSERT_TRUE(Register({picky}).ok());
  EXPECT_TRUE(registry_.Find(*MatMul("m", BERTH_FLOAT), "GPU").ok());
  const KernelMatch match = registry_.Find(
      *MatMul("n", BERTH_FLOAT, {{"transpose_a", AttrValue::Bool(true)}}), "GPU");
  EXPECT_EQ(match.code, RejectCode::kAttribute);
  EXPECT_EQ(match.reason, "GPU has MatMul but not this one: transpose_a is true");
}

TEST_F(KernelRegistryTest, SupportsIsAskedOnceForEqualAttributesAndShapes) {
  int asked = 0;
  FakeKernel counting = Kernel("MatMul", "GPU");
  counting.supports = [&asked](const berth_node&) -> std::string {
    ++asked;
    return "";
  };
  ASSERT_TRUE(Register({counting}).ok());
  const Node* a = MatMul("a", BERTH_FLOAT);
  const Node* b = MatMul("b", BERTH_FLOAT);
  const std::vector<Shape> shapes = {{2, 3}, {3, 4}};
  EXPECT_TRUE(registry_.Find(*a, "GPU", shapes).ok());
  EXPECT_TRUE(registry_.Find(*b, "GPU", shapes).ok());
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(registry_.Find(*b, "GPU", std::vector<Shape>{{2, 3}, {3, -1}}).ok());
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(registry_.Find(*MatMul("c", BERTH_DOUBLE), "GPU", shapes).ok());
  EXPECT_EQ(asked, 3);
}

TEST_F(KernelRegistryTest, SupportsSeesDefaultsTypesAndStaticShapes) {
  std::string seen;
  FakeKernel curious = Kernel("MatMul", "GPU");
  curious.supports = [&seen](const berth_node& node) -> std::string {
    seen = std::string(node.op) + " " + std::to_string(node.num_inputs) + " " +
           node.inputs[0]->arg_name + ":" + std::to_string(node.inputs[0]->rank) + ":" +
           std::to_string(node.inputs[0]->dims[1]) + " " +
           std::to_string(node.inputs[1]->rank) + " " + node.outputs[0]->arg_name;
    for (uint32_t i = 0; i < node.num_attrs; ++i) {
      const char* before = i > 0 ? node.attrs[i - 1]->name : "";
      EXPECT_LT(std::strcmp(before, node.attrs[i]->name), 0);
      seen += std::string(" ") + node.attrs[i]->name;
    }
    return "";
  };
  ASSERT_TRUE(Register({curious}).ok());
  ASSERT_TRUE(
      registry_.Find(*MatMul("m", BERTH_FLOAT), "GPU", std::vector<Shape>{{2, -1}}).ok());
  EXPECT_THAT(seen, HasSubstr("MatMul 2 a:2:-1 -1 product"));
  EXPECT_THAT(seen, HasSubstr(" T"));
  EXPECT_THAT(seen, HasSubstr(" transpose_b"));
}

TEST_F(KernelRegistryTest, LabelChoosesTheRow) {
  FakeKernel ordinary = Kernel("MatMul", "GPU");
  FakeKernel labelled = Kernel("MatMul", "GPU");
  labelled.label = "eigen";
  ASSERT_TRUE(Register({ordinary, labelled}).ok());
  EXPECT_EQ(registry_.Find(*MatMul("a", BERTH_FLOAT), "GPU").entry->order, 1);
  const KernelMatch eigen = registry_.Find(
      *MatMul("b", BERTH_FLOAT, {{"_kernel", AttrValue::String("eigen")}}), "GPU");
  ASSERT_TRUE(eigen.ok());
  EXPECT_EQ(eigen.entry->order, 2);
  const KernelMatch none = registry_.Find(
      *MatMul("c", BERTH_FLOAT, {{"_kernel", AttrValue::String("fast")}}), "GPU");
  EXPECT_EQ(none.code, RejectCode::kLabel);
  EXPECT_THAT(none.reason, AllOf(HasSubstr("'fast'"), HasSubstr("'eigen'")));
}

TEST_F(KernelRegistryTest, CoreRunsItsOpsOnEveryDeviceType) {
  const KernelMatch match = registry_.Find(*Placeholder("p", BERTH_FLOAT), "ANY");
  ASSERT_TRUE(match.ok());
  EXPECT_TRUE(match.entry->runs_in_core());
  EXPECT_EQ(match.entry->device_type, "ANY");
}

TEST_F(KernelRegistryTest, RowWithoutCreateRestrictsACoreOp) {
  FakeKernel row = Kernel("Placeholder", "GPU", {{"dtype", {BERTH_FLOAT}}});
  row.runs_in_core = true;
  ASSERT_TRUE(Register({row}).ok());
  const KernelMatch match = registry_.Find(*Placeholder("p", BERTH_FLOAT), "GPU");
  ASSERT_TRUE(match.ok());
  EXPECT_TRUE(match.entry->runs_in_core());
  EXPECT_EQ(registry_.Find(*Placeholder("q", BERTH_INT32), "GPU").code,
            RejectCode::kDType);
  EXPECT_TRUE(registry_.Find(*Placeholder("r", BERTH_INT32), "CPU").ok());
}

TEST_F(KernelRegistryTest, ListingDeviceTypeRunsOnlyListedCoreOps) {
  registry_.SetCoreOpsListed("GPU", true);
  EXPECT_EQ(registry_.Find(*Placeholder("p", BERTH_FLOAT), "GPU").code,
            RejectCode::kNoKernel);
  EXPECT_TRUE(registry_.Find(*Placeholder("q", BERTH_FLOAT), "CPU").ok());
}

TEST_F(KernelRegistryTest, StringsAreKeptOnlyWhereTheDeviceIsTheHost) {
  registry_.SetIsHost("GPU", false);
  registry_.SetIsHost("CPU", true);
  for (const char* op : {"VariableV2", "VarHandleOp"}) {
    const auto variable = [&](DType dtype) {
      return Add(std::string(op) + std::to_string(dtype), op,
                 {{"dtype", AttrValue::Type(dtype)}, {"shape", AttrValue::OfShape({})}});
    };
    Node* strings = variable(BERTH_STRING);
    Node* floats = variable(BERTH_FLOAT);
    const KernelMatch match = registry_.Find(*strings, "GPU");
    EXPECT_EQ(match.code, RejectCode::kHostMemory);
    EXPECT_THAT(match.reason, AllOf(HasSubstr("strings"), HasSubstr("GPU")));
    EXPECT_TRUE(registry_.Find(*strings, "CPU").ok());
    EXPECT_TRUE(registry_.Find(*floats, "GPU").ok());
    KernelClasses classes(&registry_);
    EXPECT_NE(classes.ClassOf(*strings), classes.ClassOf(*floats));
  }
}

TEST_F(KernelRegistryTest, StringsNeedARowThatListsThem) {
  FakeKernel open = Kernel("ZerosLike", "GPU");
  FakeKernel listed = Kernel("ZerosLike", "CPU", {{"T", {BERTH_STRING}}});
  ASSERT_TRUE(Register({open, listed}).ok());
  const auto zeros = [&](const std::string& name, DType dtype) {
    return Add(name, "ZerosLike", {{"T", AttrValue::Type(dtype)}},
               {{Placeholder(name + "_in", dtype), 0}});
  };
  Node* strings = zeros("strings", BERTH_STRING);
  Node* floats = zeros("floats", BERTH_FLOAT);
  EXPECT_EQ(registry_.Find(*strings, "GPU").code, RejectCode::kDType);
  EXPECT_THAT(registry_.Find(*strings, "GPU").reason, HasSubstr("T is string"));
  EXPECT_EQ(registry_.Find(*zeros("variants", BERTH_VARIANT), "GPU").code,
            RejectCode::kDType);
  EXPECT_TRUE(registry_.Find(*floats, "GPU").ok());
  EXPECT_TRUE(registry_.Find(*strings, "CPU").ok());
  KernelClasses classes(&registry_);
  EXPECT_NE(classes.ClassOf(*strings), classes.ClassOf(*floats));
}

TEST_F(KernelRegistryTest, ReferenceTypesCountAsTheirBase) {
  FakeKernel row = Kernel("AssignAdd", "GPU", {{"T", {BERTH_FLOAT}}});
  ASSERT_TRUE(Register({row}).ok());
  Node* v =
      Add("v", "VariableV2",
          {{"dtype", AttrValue::Type(BERTH_FLOAT)}, {"shape", AttrValue::OfShape({2})}});
  Node* x = Placeholder("x", BERTH_FLOAT);
  Node* add =
      Add("add", "AssignAdd", {{"T", AttrValue::Type(BERTH_FLOAT)}}, {{v, 0}, {x, 0}});
  EXPECT_TRUE(registry_.Find(*add, "GPU").ok());
  NodeAbiView::Args args;
  args.node = add;
  const NodeAbiView view(args);
  EXPECT_EQ(view.abi().inputs[0]->is_ref, 1);
  EXPECT_EQ(view.abi().inputs[0]->dtype, BERTH_FLOAT);
  EXPECT_EQ(view.abi().inputs[1]->is_ref, 0);
}

TEST_F(KernelRegistryTest, ResourceInputShowsTheVariableBehindIt) {
  Node* handle =
      Add("v", "VarHandleOp",
          {{"dtype", AttrValue::Type(BERTH_DOUBLE)}, {"shape", AttrValue::OfShape({2})}});
  Node* x = Placeholder("x", BERTH_DOUBLE);
  Node* add = Add("add", "AssignAddVariableOp",
                  {{"dtype", AttrValue::Type(BERTH_DOUBLE)}}, {{handle, 0}, {x, 0}});
  NodeAbiView::Args args;
  args.node = add;
  const NodeAbiView view(args);
  EXPECT_EQ(view.abi().inputs[0]->dtype, BERTH_DOUBLE);
  EXPECT_EQ(view.abi().inputs[0]->is_ref, 1);
}

TEST_F(KernelRegistryTest, NodeViewCarriesEveryKindOfAttribute) {
  ListAttr strides;
  strides.i = {1, 2, 2, 1};
  Node* x = Placeholder("x", BERTH_FLOAT);
  Node* pool = Add("pool", "MaxPool",
                   {{"ksize", AttrValue::OfList(strides)},
                    {"strides", AttrValue::OfList(strides)},
                    {"padding", AttrValue::String("SAME")},
                    {"_class", AttrValue::OfList({})}},
                   {{x, 0}});
  NodeAbiView::Args args;
  args.node = pool;
  args.device = "/device:GPU:0";
  const Shape known = {1, 4, 4, 3};
  args.input_shapes = {&known, 1};
  const Tensor value = *Tensor::Allocate(BERTH_FLOAT, {1, 4, 4, 3});
  const Tensor* constants[] = {&value};
  args.constants = constants;
  const NodeAbiView view(args);
  const berth_node& node = view.abi();
  EXPECT_STREQ(node.device, "/device:GPU:0");
  std::vector<std::string> names;
  for (uint32_t i = 0; i < node.num_attrs; ++i) {
    const berth_attr& attr = *node.attrs[i];
    names.emplace_back(attr.name);
    if (names.back() == "ksize") {
      EXPECT_EQ(attr.kind, BERTH_ATTR_LIST_INT);
      ASSERT_EQ(attr.count, 4U);
      EXPECT_EQ(attr.ints[2], 2);
    }
    if (names.back() == "padding") {
      EXPECT_EQ(std::string(attr.s.data, attr.s.size), "SAME");
    }
  }
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("_class")));
  EXPECT_THAT(names, ::testing::Contains("data_format"));
  EXPECT_EQ(node.inputs[0]->dims[3], 3);
  ASSERT_NE(node.inputs[0]->constant, nullptr);
  EXPECT_EQ(node.inputs[0]->constant->host_data, value.raw());
}

TEST_F(KernelRegistryTest, HostArgumentsAreFlattenedPositions) {
  FakeKernel concat = Kernel("ConcatV2", "GPU");
  concat.host_args = {"axis"};
  ASSERT_TRUE(Register({concat}).ok());
  Node* x = Placeholder("x", BERTH_FLOAT);
  Node* axis = Placeholder("axis", BERTH_INT32);
  Node* node = Add("c", "ConcatV2",
                   {{"T", AttrValue::Type(BERTH_FLOAT)}, {"N", AttrValue::Int(3)}},
                   {{x, 0}, {x, 0}, {x, 0}, {axis, 0}});
  const KernelMatch match = registry_.Find(*node, "GPU");
  ASSERT_TRUE(match.ok());
  const HostPositions host = HostPositionsOf(*node, match.entry->def);
  EXPECT_THAT(host.inputs, ElementsAre(false, false, false, true));
  EXPECT_THAT(host.outputs, IsEmpty());
}

TEST_F(KernelRegistryTest, OneWrongRowKeepsAllOut) {
  const Status status = Register({Kernel("MatMul", "GPU"), Kernel("MatMull", "GPU")});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("plugin 'fake'"), HasSubstr("row 1"), HasSubstr("MatMull"),
                    HasSubstr("MatMul")));
  EXPECT_THAT(registry_.AllRows(), IsEmpty());
}

TEST_F(KernelRegistryTest, RefusesRowsThatNameWhatTheOpHasNot) {
  EXPECT_THAT(
      std::string(Register({Kernel("MatMul", "GPU", {{"Q", {BERTH_FLOAT}}})}).message()),
      AllOf(HasSubstr("'Q'"), HasSubstr("its type attributes: T")));
  EXPECT_THAT(std::string(Register({Kernel("MatMul", "GPU", {{"T", {9999}}})}).message()),
              HasSubstr("9999"));
  FakeKernel host = Kernel("MatMul", "GPU");
  host.host_args = {"axis"};
  EXPECT_THAT(std::string(Register({host}).message()),
              AllOf(HasSubstr("'axis'"), HasSubstr("a, b, product")));
  FakeKernel inplace = Kernel("MatMul", "GPU");
  inplace.inplace = {{2, 0}};
  EXPECT_THAT(std::string(Register({inplace}).message()), HasSubstr("(2, 0)"));
  FakeKernel flags = Kernel("MatMul", "GPU");
  flags.flags = 1U << 30;
  EXPECT_THAT(std::string(Register({flags}).message()), HasSubstr("does not know"));
  FakeKernel stateful = Kernel("MatMul", "GPU");
  stateful.flags = BERTH_KERNEL_STATEFUL;
  EXPECT_THAT(std::string(Register({stateful}).message()), HasSubstr("create_state"));
  FakeKernel no_core_op = Kernel("MatMul", "GPU");
  no_core_op.runs_in_core = true;
  EXPECT_THAT(std::string(Register({no_core_op}).message()), HasSubstr("create()"));
  EXPECT_THAT(registry_.AllRows(), IsEmpty());
}

TEST_F(KernelRegistryTest, ReadsNothingPastAnOlderRowsEnd) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU")}).ok());
  registry_.UnregisterPlugin("fake");
  berth_kernel_def old = *plugins_[0]->table()->kernels[0];
  // A row of a header that ended before `supports`, with garbage behind it.
  old.struct_size = offsetof(berth_kernel_def, supports);
  const berth_kernel_def* rows[] = {&old};
  berth_plugin table = *plugins_[0]->table();
  table.kernels = rows;
  const Status status = registry_.RegisterPlugin(&table);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no create()"));
}

TEST_F(KernelRegistryTest, UnregisteringHidesRowsAndKeepsThemReadable) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU")}, "one").ok());
  ASSERT_TRUE(Register({Kernel("MatMul", "CPU")}, "two").ok());
  const KernelEntry* entry = registry_.Rows("MatMul")[0];
  registry_.UnregisterPlugin("one");
  EXPECT_EQ(registry_.Find(*MatMul("m", BERTH_FLOAT), "GPU").code, RejectCode::kNoKernel);
  EXPECT_EQ(entry->plugin, "one");
  EXPECT_EQ(registry_.Rows("MatMul").size(), 1U);
}

TEST_F(KernelRegistryTest, DeviceTypesMayBeRenamed) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU")}, "vendor", {{"GPU", "VENDOR"}}).ok());
  EXPECT_TRUE(registry_.Find(*MatMul("m", BERTH_FLOAT), "VENDOR").ok());
  EXPECT_FALSE(registry_.Find(*MatMul("n", BERTH_FLOAT), "GPU").ok());
}

TEST_F(KernelRegistryTest, DescribesWhatExists) {
  ASSERT_TRUE(
      Register({Kernel("MatMul", "CPU", {{"T", {BERTH_FLOAT, BERTH_DOUBLE}}}),
                Kernel("MatMul", "GPU", {{"T", {BERTH_FLOAT}}}),
                Kernel("Cast", "CPU", {{"SrcT", {BERTH_INT32}}, {"DstT", {BERTH_FLOAT}}}),
                Kernel("NoOp", "CPU")})
          .ok());
  EXPECT_EQ(registry_.DescribeRows("MatMul"), "CPU: T = float, double; GPU: T = float");
  EXPECT_EQ(registry_.DescribeRows("Cast"), "CPU: SrcT = int32; DstT = float");
  EXPECT_EQ(registry_.DescribeRows("NoOp"), "CPU: any type");
  EXPECT_EQ(registry_.DescribeRows("Relu"), "");
}

TEST_F(KernelRegistryTest, ClassesTellApartWhatTheRowsTellApart) {
  ASSERT_TRUE(Register({Kernel("MatMul", "GPU", {{"T", {BERTH_FLOAT}}})}).ok());
  KernelClasses classes(&registry_);
  const Node* plain = MatMul("a", BERTH_FLOAT);
  EXPECT_EQ(classes.ClassOf(*plain), 0);
  // No row looks at transpose_a or at shapes.
  EXPECT_EQ(
      classes.ClassOf(*MatMul("b", BERTH_FLOAT, {{"transpose_a", AttrValue::Bool(true)}}),
                      std::vector<Shape>{{1, 2}}),
      0);
  EXPECT_EQ(classes.ClassOf(*MatMul("c", BERTH_DOUBLE)), 1);
  EXPECT_EQ(classes.ClassOf(*Placeholder("p", BERTH_FLOAT)), 2);
  EXPECT_EQ(classes.ClassOf(*plain), 0);
  EXPECT_EQ(classes.num_classes(), 3);
}

TEST_F(KernelRegistryTest, ConditionalRowsMakeAttributesAndShapesCount) {
  FakeKernel picky = Kernel("MatMul", "GPU");
  picky.supports = [](const berth_node&) { return std::string(); };
  ASSERT_TRUE(Register({picky}).ok());
  KernelClasses classes(&registry_);
  const Node* a = MatMul("a", BERTH_FLOAT);
  const Node* b = MatMul("b", BERTH_FLOAT);
  const std::vector<Shape> shapes = {{2, 3}, {3, 4}};
  EXPECT_EQ(classes.ClassOf(*a, shapes), classes.ClassOf(*b, shapes));
  EXPECT_NE(classes.ClassOf(*a, shapes), classes.ClassOf(*a));
  EXPECT_NE(classes.ClassOf(*a),
            classes.ClassOf(
                *MatMul("c", BERTH_FLOAT, {{"transpose_a", AttrValue::Bool(true)}})));
}

TEST_F(KernelRegistryTest, FindsWhileOthersRegister) {
  FakeKernel picky = Kernel("MatMul", "GPU");
  picky.supports = [](const berth_node&) { return std::string("never"); };
  ASSERT_TRUE(Register({picky}).ok());
  const Node* node = MatMul("m", BERTH_FLOAT);
  FakePlugin other("other", {}, {Kernel("MatMul", "CPU"), Kernel("Relu", "CPU")});
  std::thread registering([&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(registry_.RegisterPlugin(other.table()).ok());
      registry_.UnregisterPlugin("other");
    }
  });
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(registry_.Find(*node, "GPU").code, RejectCode::kAttribute);
    (void)registry_.Find(*node, "CPU");
  }
  registering.join();
}

}  // namespace
}  // namespace berth
