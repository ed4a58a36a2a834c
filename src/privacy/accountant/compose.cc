#include "privacy/accountant/compose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/fourier.h"
#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

using Complex = SpectrumPair::Complex;

double largest_loss(const GridLoss& grid, double h) {
  return std::max(std::abs(loss_of(grid, 0, h)), std::abs(loss_of(grid, grid.mass.size() - 1, h)));
}

/// Points of a grid that covers the window. A window that came out empty or undefined, as it may
/// where losses are hundreds, gets the smallest grid: its bounds are valid, if wide.
std::size_t points_of(const Window& window, double h) {
  const double points = (window.high - window.low) / h;
  return transform_size((points > 0 ? static_cast<std::size_t>(points) : 0) + 8);
}

std::size_t wrap(long index, std::size_t size) {
  const long n = static_cast<long>(size);
  const long r = index % n;
  return static_cast<std::size_t>(r < 0 ? r + n : r);
}

}  // namespace

ComposedLoss::ComposedLoss(std::span<const CountedLoss> parts, double h, const Window& window)
    : h_(h),
      window_(window),
      least_(std::max(window.low, window.target - 30 / (1 + window.theta))),
      size_(points_of(window, h)) {
  prepare(upper_, parts);
  prepare(lower_, parts);
  SpectrumPair spectrum(size_);
  std::vector<Complex> sequence(size_);
  for (const CountedLoss& part : parts) {
    std::fill(sequence.begin(), sequence.end(), Complex(0, 0));
    place(part.bracket.upper, true, sequence);
    place(part.bracket.lower, false, sequence);
    spectrum.multiply(sequence, part.count);
  }
  const SpectrumPair::Composed composed = spectrum.invert();
  accumulate(upper_, composed);
  accumulate(lower_, composed);
}

void ComposedLoss::prepare(Side& side, std::span<const CountedLoss> parts) {
  double right = 0;
  double left = 0;
  double log_finite = 0;
  double rounding = 0;
  for (const CountedLoss& part : parts) {
    const GridLoss& grid = side.is_upper ? part.bracket.upper : part.bracket.lower;
    const auto count = static_cast<double>(part.count);
    const double moment = log_moment(grid, window_.theta, h_);
    side.log_scale += count * moment;
    side.offset += count * grid.offset;
    right += count * (log_moment(grid, window_.theta + window_.right_slope, h_) - moment);
    left += count * (log_moment(grid, window_.theta - window_.left_slope, h_) - moment);
    log_finite += count * std::log1p(-std::min(grid.infinite, 1.0));
    rounding += count * kRoundOff * (32 + 8 * window_.theta * largest_loss(grid, h_));
  }
  side.start = static_cast<long>(std::floor((window_.low - side.offset) / h_));
  const double low = static_cast<double>(side.start) * h_ + side.offset;
  const double high = low + static_cast<double>(size_) * h_;
  // One per cent covers the rounding of the exponents.
  side.outside = 1.01 * (std::exp(right - window_.right_slope * high) +
                         std::exp(left + window_.left_slope * low));
  side.infinite = -std::expm1(log_finite);
  side.factor_error = std::expm1(rounding + 16 * kRoundOff * std::abs(side.log_scale));
}

void ComposedLoss::place(const GridLoss& grid, bool is_upper,
                         std::vector<Complex>& sequence) const {
  const double moment = log_moment(grid, window_.theta, h_);
  std::size_t position = wrap(grid.first, size_);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) {
      const double tilted = grid.mass[i] * std::exp(window_.theta * loss_of(grid, i, h_) - moment);
      sequence[position] += is_upper ? Complex(tilted, 0) : Complex(0, tilted);
    }
    if (++position == size_) position = 0;
  }
}

void ComposedLoss::accumulate(Side& side, const SpectrumPair::Composed& composed) {
  side.error = side.is_upper ? composed.real : composed.imaginary;
  const long end = side.start + static_cast<long>(size_);
  side.start = std::max(side.start, static_cast<long>(std::floor((least_ - side.offset) / h_)));
  const auto kept = static_cast<std::size_t>(std::max(0L, end - side.start));
  side.suffix.assign(kept + 1, 0.0);
  side.suffix_down.assign(kept + 1, 0.0);
  std::size_t position = wrap(end - 1, size_);
  for (std::size_t i = kept; i-- > 0;) {
    const double u =
        static_cast<double>(side.start + static_cast<long>(i)) * h_ + side.offset - window_.target;
    const double exponent = -window_.theta * u;
    const Complex& value = composed.values[position];
    double weighted = 0;
    if (side.is_upper) {
      weighted = value.real() * std::exp(std::max(exponent, kSmallestExponent));
    } else if (exponent > kSmallestExponent) {
      weighted = value.imag() * std::exp(exponent);
    }
    side.suffix[i] = side.suffix[i + 1] + weighted;
    side.suffix_down[i] = side.suffix_down[i + 1] + weighted * std::exp(-u);
    position = position == 0 ? size_ - 1 : position - 1;
  }
}

Approximate ComposedLoss::finite_part(const Side& side, double epsilon) const {
  const double theta = window_.theta;
  const double position = std::ceil((epsilon - side.offset) / h_) - static_cast<double>(side.start);
  const auto i = static_cast<std::size_t>(
      std::clamp(position, 0.0, static_cast<double>(side.suffix.size() - 1)));
  const double scale = std::exp(side.log_scale - theta * window_.target);
  const double sum = side.suffix[i];
  const double down = std::exp(epsilon - window_.target) * side.suffix_down[i];
  // w(u) = e^{-theta u}(1 - e^{-u}), u >= 0: its maximum, and bounds on its sums over the grid.
  const double peak = theta == 0 ? 1 : std::exp(-theta * std::log1p(1 / theta)) / (1 + theta);
  const double points = static_cast<double>(side.suffix.size());
  const double total = std::min(points * peak, 1 / (h_ * theta * (1 + theta)) + peak);
  const double outer = std::exp(theta * (window_.target - epsilon));
  const double round_off =
      std::min(side.error.point * total, side.error.norm * std::sqrt(peak * total)) +
      side.outside * peak;
  const double summation = 2 * points * kRoundOff * (std::abs(sum) + std::abs(down));
  const double value = scale * std::max(0.0, sum - down);
  return {value, value * side.factor_error +
                     (1 + side.factor_error) * scale * (outer * round_off + summation)};
}

double ComposedLoss::delta_upper(double epsilon) const {
  if (epsilon < least_) return 1;
  const Approximate finite = finite_part(upper_, epsilon);
  const double delta = upper_.infinite + finite.value + finite.error;
  return delta < 1 ? delta : 1;  // NaN becomes 1
}

double ComposedLoss::delta_lower(double epsilon) const {
  if (epsilon > window_.high) return 0;
  const Approximate finite = finite_part(lower_, std::max(epsilon, least_));
  const double delta = finite.value - finite.error;
  return delta > 0 ? delta : 0;
}

double ComposedLoss::epsilon_upper(double delta) const {
  double low = std::max(0.0, least_);
  double high = window_.high;
  if (delta_upper(low) <= delta) return low;
  if (!(delta_upper(high) <= delta)) return kInfinity;
  while (high - low > 1e-14 + 1e-13 * high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (delta_upper(middle) <= delta ? high : low) = middle;
  }
  return high;
}

double ComposedLoss::epsilon_lower(double delta) const {
  // Errors grow to the left of the target: start from it, not from the end of the window.
  const double end = std::max(0.0, least_);
  double low = std::max(window_.target, end);
  double high = window_.high;
  for (double step = 0.1 / (1 + window_.theta); !(delta_lower(low) >= delta); step *= 1.5) {
    if (low <= end) return 0;
    high = low;
    low = std::max(end, low - step);
  }
  while (high - low > 1e-14 + 1e-13 * high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (delta_lower(middle) >= delta ? low : high) = middle;
  }
  return low;
}

}  // namespace dpfermi::accountant
