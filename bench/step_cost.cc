// What the executor itself costs: a chain of small Adds through a callable, a callable of
// one Add, and the way from GraphDef bytes to the first result of a long chain.
//
// Usage: bench_step_cost [largest chain, default 100000]. Uses the CPU plugin of the
// build.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/formats/graphdef.h"
#include "core/ops/op_schema.h"
#include "core/session/session.h"

namespace {

using berth::AttrValue;
using berth::Graph;
using berth::Node;
using berth::NodeSpec;
using berth::Result;
using berth::Session;
using berth::SessionOptions;
using berth::Shape;
using berth::Status;
using berth::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int kFloats = 64;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

// x, and n Adds of x to what came before: "add0" … "add<n-1>".
Status AddChain(int n, Graph* graph) {
  NodeSpec x;
  x.name = "x";
  x.op = "Placeholder";
  x.attrs.Set("dtype", AttrValue::Type(BERTH_FLOAT));
  x.attrs.Set("shape", AttrValue::OfShape(Shape{kFloats}));
  BERTH_ASSIGN_OR_RETURN(Node * input, graph->AddNode(std::move(x)));
  Node* last = input;
  for (int i = 0; i < n; ++i) {
    NodeSpec add;
    add.name = "add" + std::to_string(i);
    add.op = "AddV2";
    add.device = "/cpu:0";
    add.attrs.Set("T", AttrValue::Type(BERTH_FLOAT));
    add.inputs = {{last, 0}, {input, 0}};
    BERTH_ASSIGN_OR_RETURN(last, graph->AddNode(std::move(add)));
  }
  return berth::OkStatus();
}

std::unique_ptr<Session> MakeSession() {
  SessionOptions options;
  options.optimize = false;
  Result<std::unique_ptr<Session>> session = Session::Create(options);
  Check(session.status());
  return *std::move(session);
}

Tensor Ones() {
  Tensor tensor = *Tensor::Allocate(BERTH_FLOAT, Shape{kFloats});
  std::fill_n(tensor.mutable_data<float>(), kFloats, 1.0F);
  return tensor;
}

// The best of several rounds, in seconds a run.
double TimeChain(int n, int runs) {
  std::unique_ptr<Session> session = MakeSession();
  Check(session->ExtendWith([n](Graph* graph) { return AddChain(n, graph); }));
  auto callable = session->MakeCallable({{"x"}, {"add" + std::to_string(n - 1)}, {}});
  Check(callable.status());
  const std::vector<Tensor> inputs = {Ones()};
  std::vector<Tensor> outputs(1);
  berth::RunTrace trace;
  berth::RunSettings traced;
  traced.trace = true;
  Check((*callable)->Run(inputs, outputs, traced, &trace));
  const float expected = static_cast<float>(n) + 1;
  if (static_cast<int>(trace.events.size()) != n ||
      outputs[0].data<float>()[kFloats - 1] != expected) {
    std::fprintf(stderr, "the chain ran %zu steps and gave %g\n", trace.events.size(),
                 outputs[0].data<float>()[kFloats - 1]);
    std::exit(1);
  }
  double best = 1e9;
  for (int round = 0; round < 7; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < runs; ++i) Check((*callable)->Run(inputs, outputs, {}, nullptr));
    best = std::min(best, SecondsSince(start) / runs);
  }
  return best;
}

void TimeFirstRun(int n) {
  Graph graph(berth::OpRegistry::Global());
  Check(AddChain(n, &graph));
  Result<std::string> bytes = berth::ExportGraphDef(graph);
  Check(bytes.status());
  std::unique_ptr<Session> session = MakeSession();
  const Clock::time_point start = Clock::now();
  Check(session->Extend(*bytes));
  const double imported = SecondsSince(start);
  Check(session->GetPlacement().status());
  const double placed = SecondsSince(start);
  std::vector<Tensor> outputs;
  Check(session->Run({{"x", Ones()}}, {"add" + std::to_string(n - 1)}, {}, {}, &outputs,
                     nullptr));
  const double done = SecondsSince(start);
  std::printf(
      "chain of %d nodes: import %.3f s, placement %.3f s, plan and first run "
      "%.3f s, all %.3f s\n",
      n, imported, placed - imported, done - placed, done);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  std::printf("1,000 Adds of %d floats: %.1f ns an op\n", kFloats,
              TimeChain(1000, 100) * 1e6);
  std::printf("a callable of one Add: %.0f ns\n", TimeChain(1, 2000) * 1e9);
  TimeFirstRun(largest / 10);
  TimeFirstRun(largest);
  return 0;
}
