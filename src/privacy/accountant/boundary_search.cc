#include "privacy/accountant/boundary_search.h"

#include <algorithm>
#include <cmath>

namespace dpfermi::accountant {
namespace {

constexpr int kMostEvaluations = 60;

}  // namespace

Result<std::optional<Excess>> BoundarySearch::run() const {
  std::optional<Excess> good;
  std::optional<Excess> bad;
  double x = std::clamp(start, low, high);
  double stride = 0;  // grows while one side of the boundary is unknown
  for (int i = 0; i < kMostEvaluations; ++i) {
    DPFERMI_ASSIGN(const double here, excess(x));
    (here <= 0 ? good : bad) = Excess{x, here};
    if (here <= 0 && (here >= -close || x <= low)) break;
    if (here > 0 && x >= high) break;
    if (good && bad) {
      const double width = good->x - bad->x;
      if (width <= gap(good->x)) break;
      // A secant, aimed a little into the good side and kept off the ends.
      const double fraction = (bad->excess + 0.3 * close) / (bad->excess - good->excess);
      const bool sane = std::isfinite(fraction) && i % 4 != 3;
      x = bad->x + width * (sane ? std::clamp(fraction, 0.02, 0.98) : 0.5);
    } else {
      const double newton = std::isfinite(here) ? -(here + 0.5 * close) / slope : 0;
      const double least = std::max(2 * stride, here > 0 ? 1e-4 : 0.0);
      stride = std::max(std::min(std::abs(newton), 2.0), least);
      if (!std::isfinite(here)) stride = std::max(stride, 1.0);
      x = std::clamp(here > 0 ? x + stride : x - stride, low, high);
    }
  }
  return good;
}

}  // namespace dpfermi::accountant
