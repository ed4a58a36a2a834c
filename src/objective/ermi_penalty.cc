#include "objective/ermi_penalty.h"

#include <algorithm>
#include <cmath>

#include "objective/row_gradients.h"
#include "objective/smallest_ball.h"

namespace dpfermi {
namespace {

std::span<double> row(std::vector<double>& matrix, std::size_t i, std::size_t width) {
  return std::span(matrix).subspan(i * width, width);
}

/// k x l: b_r of one condition, made orthogonal to the ones: the probabilities sum to one, so the
/// mean of a row changes nothing.
std::vector<double> directions(std::span<const double> w, std::span<const double> p,
                               std::size_t classes) {
  std::vector<double> b(w.begin(), w.end());
  for (std::size_t r = 0; r < p.size(); ++r) {
    const std::span<double> entries = row(b, r, classes);
    double mean = 0;
    for (double& entry : entries) {
      entry /= std::sqrt(p[r]);
      mean += entry / static_cast<double>(classes);
    }
    for (double& entry : entries) entry -= mean;
  }
  return b;
}

/// l: -sum_r W_rj^2.
std::vector<double> negative_squares(std::span<const double> w, std::size_t classes) {
  std::vector<double> sums(classes);
  for (std::size_t i = 0; i < w.size(); ++i) sums[i % classes] -= w[i] * w[i];
  return sums;
}

/// The ball around points on a line is an interval: two classes leave one direction.
Ball ball_of(const std::vector<double>& points, std::size_t classes) {
  if (classes > 2) return smallest_ball(points, classes);
  double low = points[1];
  double high = points[1];
  for (std::size_t i = 1; i < points.size(); i += 2) {
    low = std::min(low, points[i]);
    high = std::max(high, points[i]);
  }
  const double centre = low + (high - low) / 2;
  const double radius = std::sqrt(2.0) * std::max(high - centre, centre - low) * (1 + 0x1p-50);
  return {{-centre, centre}, radius};
}

}  // namespace

ErmiPenalty::ErmiPenalty(FairnessSetting setting, GroupMarginals marginals)
    : setting_(setting), marginals_(std::move(marginals)) {}

bool ErmiPenalty::comparable() const {
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    std::size_t known = 0;
    for (std::size_t r = 0; r < setting_.groups; ++r) {
      known += marginals_.is_known(c * setting_.groups + r) ? 1 : 0;
    }
    if (known > 1) return true;
  }
  return false;
}

std::vector<double> ErmiPenalty::condition_factors() const {
  std::vector<double> factors;
  for (const double share : marginals_.shares) {
    factors.push_back(share > 0 ? condition_weight(setting_.notion, share) / share : 0);
  }
  return factors;
}

Functionals ErmiPenalty::centred(std::span<const double> w) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = setting_.width();
  const std::vector<double> factors = condition_factors();
  Functionals out{std::vector<double>((factors.size() + 1) * width),
                  std::vector<double>((factors.size() * k + 1) * width), 0};
  double radius = 0;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const std::span<const double> w_c = w.subspan(c * k * l, k * l);
    const std::vector<double> b =
        directions(w_c, std::span(marginals_.groups).subspan(c * k, k), l);
    const Ball ball = ball_of(b, l);
    radius = std::max(radius, factors[c] * ball.radius);
    std::vector<double> common = negative_squares(w_c, l);
    for (std::size_t j = 0; j < l; ++j) common[j] += 2 * ball.centre[j];
    add_functional(common, factors[c], row(out.common, c, width));
    for (std::size_t r = 0; r < k; ++r) {
      std::vector<double> v(b.begin() + static_cast<std::ptrdiff_t>(r * l),
                            b.begin() + static_cast<std::ptrdiff_t>((r + 1) * l));
      for (std::size_t j = 0; j < l; ++j) v[j] -= ball.centre[j];
      add_functional(v, factors[c], row(out.by_group, c * k + r, width));
    }
  }
  for (double& v : out.by_group) v = radius > 0 ? v / radius : 0;
  out.scale = 2 * radius;
  return out;
}

Functionals ErmiPenalty::whole(std::span<const double> w) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = setting_.width();
  const std::vector<double> factors = condition_factors();
  Functionals out{std::vector<double>((factors.size() + 1) * width),
                  std::vector<double>((factors.size() * k + 1) * width), 1};
  for (std::size_t c = 0; c < factors.size(); ++c) {
    const std::span<const double> w_c = w.subspan(c * k * l, k * l);
    const std::vector<double> squares = negative_squares(w_c, l);
    std::vector<double> b = directions(w_c, std::span(marginals_.groups).subspan(c * k, k), l);
    for (std::size_t r = 0; r < k; ++r) {
      const std::span<double> v = row(b, r, l);
      for (std::size_t j = 0; j < l; ++j) v[j] = squares[j] + 2 * v[j];
      add_functional(v, factors[c], row(out.by_group, c * k + r, width));
    }
  }
  return out;
}

std::vector<double> ErmiPenalty::best_w(std::span<const double> joint,
                                        std::span<const double> noise) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  std::vector<double> w(joint.size());
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    for (std::size_t j = 0; j < l; ++j) {
      double sum = 0;
      double weight = 0;
      for (std::size_t cell = c * k; cell < (c + 1) * k; ++cell) {
        if (!marginals_.is_known(cell)) continue;
        const double p = marginals_.groups[cell];
        w[cell * l + j] = std::clamp(joint[cell * l + j], 0.0, p);
        sum += w[cell * l + j];
        weight += p;
      }
      const double mean = weight > 0 ? sum / weight : 0;  // P(j), among those who are there
      for (std::size_t cell = c * k; cell < (c + 1) * k; ++cell) {
        const double p = marginals_.groups[cell];
        const double trust = marginals_.is_known(cell) ? trust_in(noise[c] / p) : 0;
        const double entry = p * mean + trust * (w[cell * l + j] - p * mean);
        w[cell * l + j] = mean > 0 ? entry / (mean * std::sqrt(p)) : 0;
      }
    }
  }
  return w;
}

std::vector<double> ErmiPenalty::fair_w() const {
  std::vector<double> w(setting_.w_size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = std::sqrt(marginals_.groups[i / setting_.classes]);
  }
  return w;
}

std::vector<double> ErmiPenalty::w_gradient(std::span<const double> w,
                                            std::span<const double> joint,
                                            std::span<const double> mean) const {
  const std::size_t l = setting_.classes;
  std::vector<double> gradient(w.size());
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::size_t cell = i / l;
    const std::size_t c = cell / setting_.groups;
    const double weight = condition_weight(setting_.notion, marginals_.shares[c]);
    gradient[i] =
        weight * 2 * (joint[i] / std::sqrt(marginals_.groups[cell]) - w[i] * mean[c * l + i % l]);
  }
  return gradient;
}

std::size_t ErmiPenalty::differences(std::size_t c) const {
  std::size_t pairs = 0;
  std::size_t known = 0;
  for (std::size_t cell = c * setting_.groups; cell < (c + 1) * setting_.groups; ++cell) {
    if (marginals_.is_known(cell)) pairs += known++;
  }
  std::size_t compared = 0;
  for (std::size_t j = 0; j < setting_.classes; ++j) compared += setting_.compares(j) ? 1 : 0;
  if (setting_.classes == 2) compared = 1;  // one rate follows from the other
  return std::max<std::size_t>(pairs * compared, 1);
}

std::vector<double> ErmiPenalty::violations(std::span<const double> joint,
                                            std::span<const double> noise) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  std::vector<double> worst(setting_.conditions());
  for (std::size_t c = 0; c < worst.size(); ++c) {
    const std::span<const double> p = std::span(marginals_.groups).subspan(c * k, k);
    const double most = std::max(1.0, 2 * std::log(static_cast<double>(differences(c))));
    for (std::size_t j = 0; j < l; ++j) {
      if (!setting_.compares(j)) continue;
      const auto rate = [&](std::size_t r) {
        return std::clamp(joint[(c * k + r) * l + j] / p[r], 0.0, 1.0);
      };
      for (std::size_t r = 1; r < k; ++r) {
        for (std::size_t other = 0; other < r; ++other) {
          if (!marginals_.is_known(c * k + r) || !marginals_.is_known(c * k + other)) continue;
          const double spread = noise[c] * std::hypot(1 / p[r], 1 / p[other]);
          const double seen = std::abs(rate(r) - rate(other));
          worst[c] =
              std::max(worst[c], std::sqrt(std::max(0.0, seen * seen - most * spread * spread)));
        }
      }
    }
  }
  return worst;
}

double ErmiPenalty::violation(std::span<const double> joint, std::span<const double> noise) const {
  return std::ranges::max(violations(joint, noise));
}

}  // namespace dpfermi
