// Cases of element-wise ops of one operand, of the gradients of activations, and of Cast.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

// Values around which functions of one number go wrong.
void AddValues(CaseList& list) {
  list.Add("special", [](Values& v) { return v.Call({v.AllSpecial()}); });
  list.Add("special-3x11x3", [](Values& v) { return v.Call({v.Special({3, 11, 3})}); });
  list.Add("special-601", [](Values& v) { return v.Call({v.Special({601})}); });
  list.Add("extreme", [](Values& v) { return v.Call({v.Extreme({1023})}); });
  list.Add("zeros", [](Values& v) { return v.Call({v.Zeros({2, 5})}); });
  if (list.dtype() == BERTH_BOOL || IsComplex(list.dtype())) return;
  list.Add("halves", [](Values& v) { return v.Call({v.Halves(43)}); });
  list.Add("small", [](Values& v) { return v.Call({v.Uniform({211}, 0, 2)}); });
  list.Add("large", [](Values& v) { return v.Call({v.Uniform({211}, 0, 100)}); });
  if (!list.is_float()) return;
  list.Add("tiny", [](Values& v) { return v.Call({v.Tiny({127})}); });
  list.Add("near-zero", [](Values& v) { return v.Call({v.Logarithmic({509}, -14, 0)}); });
  list.Add("near-one", [](Values& v) { return v.Call({v.Uniform({509}, 0.9, 1.1)}); });
  list.Add("wide", [](Values& v) { return v.Call({v.Uniform({509}, -30, 30)}); });
}

void UnaryCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims),
             [dims](Values& v) { return v.Call({v.Ordinary(dims)}); });
  }
  AddValues(list);
}

OpCall WithAlpha(OpCall call, float alpha) {
  call.attrs["alpha"] = alpha;
  return call;
}

void LeakyCases(CaseList& list) {
  UnaryCases(list);
  for (const float alpha : {0.0F, 1.0F, 0.01F, -0.5F, 3.0F}) {
    list.Add("alpha", [alpha](Values& v) {
      return WithAlpha(v.Call({v.Ordinary({5, 7})}), alpha);
    });
  }
}

// Both inputs have one shape.
void GradientCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Ordinary(dims), v.Ordinary(dims)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({37, 19}), v.Special({37, 19})});
  });
  list.Add("zeros", [](Values& v) { return v.Call({v.Zeros({5}), v.Zeros({5})}); });
  list.Add("ties", [](Values& v) { return v.Call({v.Ties({61}), v.Ties({61})}); });
  // The gradient is the first input of these; products with the others' second would
  // overflow or not by their order.
  bool gradient_first = false;
  for (const char* name : {"Elu", "Relu", "Selu", "Softplus", "Softsign"}) {
    gradient_first = gradient_first || list.op().starts_with(name);
  }
  list.Add("extreme-gradient", [gradient_first](Values& v) {
    HostTensor gradient = gradient_first ? v.Extreme({61}) : v.Ordinary({61});
    return v.Call({std::move(gradient), v.Ordinary({61})});
  });
  list.Add("halves", [](Values& v) { return v.Call({v.Halves(33), v.Halves(33)}); });
  if (list.is_float()) {
    list.Add("within-one", [](Values& v) {
      return v.Call({v.Uniform({509}, -1, 1), v.Uniform({509}, -1, 1)});
    });
    list.Add("near-one", [](Values& v) {
      return v.Call({v.Uniform({509}, 0.99, 1.01), v.Uniform({509}, 0.99, 1.01)});
    });
    list.Add("near-minus-one", [](Values& v) {
      return v.Call({v.Uniform({509}, -1.01, -0.99), v.Uniform({509}, -1.01, -0.99)});
    });
    list.Add("near-zero", [](Values& v) {
      return v.Call({v.Logarithmic({509}, -10, 0), v.Logarithmic({509}, -10, 0)});
    });
  }
  list.AddMisfit("shapes-differ", [](Values& v) {
    return v.Call({v.Ordinary({2, 3}), v.Ordinary({3, 2})});
  });
}

void LeakyGradientCases(CaseList& list) {
  GradientCases(list);
  for (const float alpha : {0.0F, 1.0F, -0.5F}) {
    list.Add("alpha", [alpha](Values& v) {
      return WithAlpha(v.Call({v.Ordinary({5, 7}), v.Ordinary({5, 7})}), alpha);
    });
  }
}

OpCall CastTo(const Values& v, HostTensor x, DType to, bool truncate = false) {
  OpCall call = v.Call({std::move(x)});
  call.attrs["DstT"] = TypeAttr{to};
  call.attrs["Truncate"] = truncate;
  return call;
}

void CastCases(CaseList& list) {
  for (const DType to :
       {BERTH_HALF, BERTH_BFLOAT16, BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT8, BERTH_INT16,
        BERTH_INT32, BERTH_INT64, BERTH_UINT8, BERTH_UINT16, BERTH_UINT32, BERTH_UINT64,
        BERTH_BOOL, BERTH_COMPLEX64, BERTH_COMPLEX128}) {
    const std::string name = "to-" + std::string(DTypeName(to));
    list.Add(name, [to](Values& v) { return CastTo(v, v.Ordinary({7, 37}), to); });
    list.Add(name + "-special",
             [to](Values& v) { return CastTo(v, v.AllSpecial(), to); });
    list.Add(name + "-extreme",
             [to](Values& v) { return CastTo(v, v.Extreme({517}), to); });
    if (list.is_float() && IsRealFloat(to)) {
      list.Add(name + "-truncate", [to](Values& v) {
        return CastTo(v, v.Logarithmic({517}, -8, 8), to, true);
      });
      list.Add(name + "-tiny", [to](Values& v) { return CastTo(v, v.Tiny({257}), to); });
    }
  }
  list.Add("empty", [](Values& v) { return CastTo(v, v.Ordinary({0, 3}), BERTH_FLOAT); });
  list.Add("scalar", [](Values& v) { return CastTo(v, v.Ordinary({}), BERTH_INT32); });
  list.Add("large",
           [](Values& v) { return CastTo(v, v.Ordinary({65537}), BERTH_FLOAT); });
}

}  // namespace

void RegisterElementwiseCases(GeneratorTable& table) {
  for (const char* op :
       {"Abs",   "Ceil",     "Cos",        "Elu",      "Exp",        "Expm1",
        "Floor", "Inv",      "IsFinite",   "IsInf",    "IsNan",      "Log",
        "Log1p", "Neg",      "LogicalNot", "OnesLike", "Reciprocal", "Relu",
        "Relu6", "Rint",     "Round",      "Rsqrt",    "Selu",       "Sigmoid",
        "Sign",  "Sin",      "Softplus",   "Softsign", "Sqrt",       "Square",
        "Tanh",  "ZerosLike"}) {
    table[op] = UnaryCases;
  }
  table["LeakyRelu"] = LeakyCases;
  for (const char* op : {"EluGrad", "InvGrad", "ReciprocalGrad", "Relu6Grad", "ReluGrad",
                         "RsqrtGrad", "SeluGrad", "SigmoidGrad", "SoftplusGrad",
                         "SoftsignGrad", "SqrtGrad", "TanhGrad"}) {
    table[op] = GradientCases;
  }
  table["LeakyReluGrad"] = LeakyGradientCases;
  table["Cast"] = CastCases;
}

}  // namespace berth::conformance
