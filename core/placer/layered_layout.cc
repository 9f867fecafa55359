#include "core/placer/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth {
namespace {

// How much wider a cell is drawn than it is high, and the whole should be.
constexpr double kCellAspect = 3.2;
constexpr double kWantedAspect = 1.5;
constexpr int kSweeps = 4;

class Layout {
 public:
  Layout(int num_nodes, std::span<const LayoutEdge> edges)
      : num_nodes_(num_nodes), points_(num_nodes), rank_(num_nodes, 0) {
    for (const LayoutEdge& edge : edges) {
      if (edge.from < edge.to) edges_.push_back(edge);
    }
  }

  std::vector<LayoutPoint> Run() {
    if (num_nodes_ == 0) return {};
    RankNodes();
    ListNeighbours();
    MakeRows();
    for (int sweep = 0; sweep < kSweeps; ++sweep) OrderRows(sweep % 2 == 0);
    for (auto& row : rows_) Spread(&row, above_);
    FoldIntoBands();
    return std::move(points_);
  }

 private:
  // Neighbours of node i are list[start[i]] … list[start[i + 1]].
  struct Lists {
    std::vector<int> start;
    std::vector<int> list;
    std::span<const int> of(int node) const {
      return std::span(list).subspan(start[node], start[node + 1] - start[node]);
    }
  };

  void RankNodes() {
    std::vector<LayoutEdge> sorted = edges_;
    std::stable_sort(
        sorted.begin(), sorted.end(),
        [](const LayoutEdge& a, const LayoutEdge& b) { return a.to < b.to; });
    std::vector<bool> has_input(num_nodes_, false);
    for (const LayoutEdge& edge : sorted) {
      rank_[edge.to] = std::max(rank_[edge.to], rank_[edge.from] + 1);
      has_input[edge.to] = true;
    }
    std::vector<int> first(num_nodes_, -1);
    for (const LayoutEdge& edge : edges_) {
      int& known = first[edge.from];
      if (known < 0 || rank_[edge.to] < known) known = rank_[edge.to];
    }
    for (int i = 0; i < num_nodes_; ++i) {
      if (!has_input[i] && first[i] > 0) rank_[i] = first[i] - 1;
    }
  }

  void ListNeighbours() {
    const auto fill = [this](Lists* lists, int LayoutEdge::*key, int LayoutEdge::*value) {
      lists->start.assign(num_nodes_ + 1, 0);
      for (const LayoutEdge& edge : edges_) ++lists->start[edge.*key + 1];
      std::partial_sum(lists->start.begin(), lists->start.end(), lists->start.begin());
      lists->list.resize(edges_.size());
      std::vector<int> next(lists->start.begin(), lists->start.end() - 1);
      for (const LayoutEdge& edge : edges_) {
        lists->list[next[edge.*key]++] = edge.*value;
      }
    };
    fill(&above_, &LayoutEdge::to, &LayoutEdge::from);
    fill(&below_, &LayoutEdge::from, &LayoutEdge::to);
  }

  void MakeRows() {
    const int most = std::max(8, static_cast<int>(std::sqrt(num_nodes_) * 0.8));
    const int num_ranks = *std::max_element(rank_.begin(), rank_.end()) + 1;
    std::vector<std::vector<int>> layers(num_ranks);
    for (int i = 0; i < num_nodes_; ++i) layers[rank_[i]].push_back(i);
    for (std::vector<int>& layer : layers) {
      const size_t parts = (layer.size() + most - 1) / most;
      for (size_t part = 0; part < parts; ++part) {
        const size_t begin = layer.size() * part / parts;
        const size_t end = layer.size() * (part + 1) / parts;
        rows_.emplace_back(layer.begin() + begin, layer.begin() + end);
      }
    }
    for (std::vector<int>& row : rows_) Center(row);
  }

  void Center(const std::vector<int>& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      points_[row[i]].x = static_cast<float>(i) - static_cast<float>(row.size() - 1) / 2;
    }
  }

  float Wanted(int node, const Lists& neighbours) const {
    const std::span<const int> of = neighbours.of(node);
    if (of.empty()) return points_[node].x;
    float sum = 0;
    for (const int other : of) sum += points_[other].x;
    return sum / static_cast<float>(of.size());
  }

  void OrderRows(bool down) {
    const Lists& neighbours = down ? above_ : below_;
    const auto order = [&](std::vector<int>& row) {
      std::vector<std::pair<float, int>> wanted;
      for (const int node : row) wanted.emplace_back(Wanted(node, neighbours), node);
      std::stable_sort(wanted.begin(), wanted.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 0; i < row.size(); ++i) row[i] = wanted[i].second;
      Spread(&row, neighbours);
    };
    if (down) {
      std::for_each(rows_.begin(), rows_.end(), order);
    } else {
      std::for_each(rows_.rbegin(), rows_.rend(), order);
    }
  }

  // As near as possible to where each node wants to be, a cell apart, in order.
  void Spread(std::vector<int>* row, const Lists& neighbours) {
    float shift = 0;
    float last = 0;
    for (size_t i = 0; i < row->size(); ++i) {
      const float wanted = Wanted((*row)[i], neighbours);
      const float x = i == 0 ? wanted : std::max(wanted, last + 1);
      shift += wanted - x;
      last = points_[(*row)[i]].x = x;
    }
    shift /= static_cast<float>(row->size());
    for (const int node : *row) points_[node].x += shift;
  }

  void FoldIntoBands() {
    float low = points_[0].x;
    float high = points_[0].x;
    for (const LayoutPoint& point : points_) {
      low = std::min(low, point.x);
      high = std::max(high, point.x);
    }
    const double width = (high - low + 1.5) * kCellAspect;
    const double height = static_cast<double>(rows_.size());
    const int bands =
        std::max(1, static_cast<int>(std::sqrt(kWantedAspect * height / width)));
    const size_t rows_a_band = (rows_.size() + bands - 1) / bands;
    float left = 0;
    for (size_t begin = 0; begin < rows_.size(); begin += rows_a_band) {
      const size_t end = std::min(begin + rows_a_band, rows_.size());
      float band_low = points_[rows_[begin][0]].x;
      float band_high = band_low;
      for (size_t i = begin; i < end; ++i) {
        for (const int node : rows_[i]) {
          band_low = std::min(band_low, points_[node].x);
          band_high = std::max(band_high, points_[node].x);
        }
      }
      for (size_t i = begin; i < end; ++i) {
        for (const int node : rows_[i]) {
          points_[node].x += left - band_low;
          points_[node].y = static_cast<float>(i - begin);
        }
      }
      left += band_high - band_low + 1.75F;
    }
  }

  int num_nodes_;
  std::vector<LayoutEdge> edges_;
  std::vector<LayoutPoint> points_;
  std::vector<int> rank_;
  std::vector<std::vector<int>> rows_;
  Lists above_;
  Lists below_;
};

}  // namespace

std::vector<LayoutPoint> LayeredLayout(int num_nodes, std::span<const LayoutEdge> edges) {
  return Layout(num_nodes, edges).Run();
}

}  // namespace berth
