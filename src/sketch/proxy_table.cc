#include "sketch/proxy_table.h"

#include <algorithm>

namespace dpfermi {

void decide(std::span<const double> outputs, std::size_t width, std::span<double> f) {
  for (std::size_t start = 0; start < outputs.size(); start += width) {
    if (width == 1) {
      f[start] = outputs[start] > 0 ? 1 : 0;
      continue;
    }
    const std::span<const double> own = outputs.subspan(start, width);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
    for (std::size_t j = 0; j < width; ++j) f[start + j] = j == best ? 1 : 0;
  }
}

void add_joint(std::span<const double> f, std::size_t classes, double weight,
               std::span<const float> groups, std::span<double> block) {
  for (std::size_t r = 0; r < groups.size(); ++r) {
    const double part = weight * groups[r];
    double* out = block.data() + r * classes;
    if (f.size() == 1) {
      out[1] += part * f[0];
      out[0] += part * (1 - f[0]);
    } else {
      for (std::size_t j = 0; j < f.size(); ++j) out[j] += part * f[j];
    }
  }
}

double add_ermi(std::span<const double> joint, std::span<const double> p,
                const std::vector<bool>& known, double factor, std::span<double> slopes) {
  const std::size_t k = p.size();
  const std::size_t l = joint.size() / k;
  // The proxy may give an empty group a share of exactly 0.
  const auto counts = [&](std::size_t r) { return known[r] && p[r] > 0; };
  double total = 0;
  for (std::size_t r = 0; r < k; ++r) total += counts(r) ? p[r] : 0;
  if (!(total > 0)) return 0;
  double ermi = -1;
  for (std::size_t j = 0; j < l; ++j) {
    double mean = 0;
    double squares = 0;
    for (std::size_t r = 0; r < k; ++r) {
      if (!counts(r)) continue;
      mean += joint[r * l + j];
      squares += joint[r * l + j] * joint[r * l + j] / p[r];
    }
    if (!(mean > 0)) continue;
    ermi += squares / mean;
    for (std::size_t r = 0; r < k; ++r) {
      if (!counts(r)) continue;
      slopes[r * l + j] += factor * (2 * joint[r * l + j] / p[r] - squares / mean) / mean;
    }
  }
  return ermi;
}

}  // namespace dpfermi
