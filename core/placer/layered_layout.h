// Where to draw the nodes of a graph.
#pragma once

#include <span>
#include <vector>

namespace berth {

struct LayoutEdge {
  int from = 0;
  int to = 0;
};

// In cells: x to the right, y downwards, both from 0.
struct LayoutPoint {
  float x = 0;
  float y = 0;
};

// A layered drawing: inputs above their consumers, sources right above their first one,
// few crossings. Layers that are too wide are wrapped, and a graph that is much deeper
// than wide is cut into bands side by side, so that the whole is about as wide as a
// screen. Edges that go back (from >= to) are ignored. Nearly linear.
std::vector<LayoutPoint> LayeredLayout(int num_nodes, std::span<const LayoutEdge> edges);

}  // namespace berth
