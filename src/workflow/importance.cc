#include "workflow/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "random/uniform.h"
#include "workflow/model_use.h"

namespace dpfermi {
namespace {

/// The cells of one column of the table in every encoded row.
struct ColumnCells {
  std::string column;
  std::optional<std::size_t> number;
  std::optional<std::size_t> code;  ///< of the absence of a number, or of a category
  bool scores = false;
};

std::vector<ColumnCells> cells_of(const TrainedModel& model) {
  std::vector<ColumnCells> cells;
  std::size_t next = 0;
  for (const NumericFeature& feature : model.pipeline.numeric()) {
    cells.push_back({feature.column, cells.size(), std::nullopt});
    if (feature.missing_indicator) cells.back().code = next++;
  }
  for (const CategoryFeature& feature : model.pipeline.categories()) {
    cells.push_back({feature.column, std::nullopt, next++});
  }
  if (!model.schema.scores.empty()) {
    cells.push_back({"(scores)", std::nullopt, std::nullopt, true});
  }
  return cells;
}

/// Shuffles are public.
struct PublicWords {
  std::mt19937_64 engine;
  std::uint64_t next() { return engine(); }
};

std::vector<std::uint32_t> shuffled_rows(std::size_t rows, PublicWords& words) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[uniform_below(i, words)]);
  return order;
}

/// `out` gets the column of `data` in another order.
void reorder(const ColumnCells& cells, const Dataset& data, std::span<const std::uint32_t> order,
             Dataset& out) {
  const std::size_t l = data.scores.size() / data.rows();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const HybridMatrix::Row from = data.x.row(order[i]);
    HybridMatrix::MutableRow to = out.x.row(i);
    if (cells.number) to.numbers[*cells.number] = from.numbers[*cells.number];
    if (cells.code) to.ones[*cells.code] = from.ones[*cells.code];
    if (cells.scores) {
      std::copy_n(data.scores.begin() + static_cast<std::ptrdiff_t>(order[i] * l), l,
                  out.scores.begin() + static_cast<std::ptrdiff_t>(i * l));
    }
  }
}

}  // namespace

Result<Importance> permutation_importance(const TrainedModel& model, const Dataset& data,
                                          std::size_t shuffles, std::uint64_t seed) {
  if (model.rule.needs_group()) {
    return failed(
        "the model decides by the protected attribute; what its inputs matter for cannot be told "
        "without reading it");
  }
  Dataset open = data;
  open.groups = 0;
  open.s = {};
  DPFERMI_ASSIGN(const Metrics plain, measure(model, open));
  Importance importance{plain.error, {}};
  PublicWords words{std::mt19937_64(seed)};
  std::vector<std::vector<std::uint32_t>> orders;
  for (std::size_t i = 0; i < shuffles; ++i) orders.push_back(shuffled_rows(data.rows(), words));
  const std::vector<std::uint32_t> own = [&] {
    std::vector<std::uint32_t> order(data.rows());
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }();
  Dataset changed = open;
  for (const ColumnCells& cells : cells_of(model)) {
    double sum = 0;
    double squares = 0;
    for (const std::vector<std::uint32_t>& order : orders) {
      reorder(cells, open, order, changed);
      DPFERMI_ASSIGN(const Metrics metrics, measure(model, changed));
      const double increase = metrics.error - plain.error;
      sum += increase;
      squares += increase * increase;
    }
    reorder(cells, open, own, changed);
    const auto n = static_cast<double>(shuffles);
    const double variance = shuffles > 1 ? (squares - sum * sum / n) / (n - 1) : 0;
    importance.columns.push_back({cells.column, sum / n, std::sqrt(std::max(0.0, variance))});
  }
  std::ranges::stable_sort(importance.columns, std::ranges::greater{}, &ColumnImportance::increase);
  return importance;
}

}  // namespace dpfermi
