#include "baselines/pate_models.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "data/chosen_rows.h"
#include "model/network.h"
#include "sketch/minimise.h"
#include "sketch/proxy_objective.h"

namespace dpfermi {
namespace {

constexpr double kDecay = 2;  ///< over the number of rows: weight of |theta|^2 / 2
constexpr double kTau = 2;    ///< sharpness of F in psi
constexpr std::size_t kIterations = 60;

/// m x k: whether any row of the condition is in the group, as the proxy has it.
std::vector<bool> groups_with_rows(const Dataset& data, const FairnessSetting& setting,
                                   std::span<const float> proxy) {
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<bool> known(setting.conditions() * setting.groups);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const std::size_t c = condition[data.y[row]];
    if (c == setting.conditions()) continue;
    for (std::size_t r = 0; r < setting.groups; ++r) {
      if (proxy[row * setting.groups + r] > 0) known[c * setting.groups + r] = true;
    }
  }
  return known;
}

}  // namespace

Dataset public_part(const Dataset& data, std::span<const std::uint32_t> rows) {
  Dataset part;
  part.x = chosen_rows(data.x, rows);
  for (const std::uint32_t row : rows) part.y.push_back(data.y[row]);
  part.units.resize(rows.size());
  std::iota(part.units.begin(), part.units.end(), 0U);
  part.classes = data.classes;
  part.groups = data.groups;
  part.unit_count = rows.size();
  return part;
}

std::vector<std::uint32_t> rows_of_teacher(const Dataset& data, std::uint32_t teacher,
                                           std::size_t teachers) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    if (data.units[row] % teachers == teacher) rows.push_back(row);
  }
  return rows;
}

Result<std::vector<double>> fit_regression(const Dataset& data, const FairnessSetting& setting,
                                           std::vector<float> proxy, double lambda,
                                           Workers* workers) {
  const Network network({data.x.columns(), data.classes, {}});
  std::vector<bool> known = groups_with_rows(data, setting, proxy);
  ProxyObjective objective(data, network, setting, std::move(proxy), std::move(known));
  const double decay = kDecay / static_cast<double>(data.rows());
  const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
    double value = objective.evaluate(at, lambda, kTau, gradient, workers);
    for (std::size_t j = 0; j < at.size(); ++j) {
      value += decay * at[j] * at[j] / 2;
      gradient[j] += decay * at[j];
    }
    return value;
  };
  std::vector<double> theta(network.spec().parameter_count());
  DPFERMI_TRY(minimise(function, theta, {kIterations, 1e-4, 1e-5}));
  return theta;
}

Result<std::vector<double>> fit_plain(const Dataset& data, Workers* workers) {
  const FairnessSetting none{FairnessNotion::kNone, 1, data.classes, 0};
  return fit_regression(data, none, std::vector<float>(data.rows(), 1), 0, workers);
}

void write_votes(const Dataset& queries, std::size_t classes, std::span<const double> theta,
                 std::span<double> out) {
  const std::vector<float> f =
      predict(Network({queries.x.columns(), classes, {}}), theta, queries.x);
  std::ranges::fill(out, -1 / static_cast<double>(classes));
  for (std::size_t row = 0; row < queries.rows(); ++row) {
    const auto own = f.begin() + static_cast<std::ptrdiff_t>(row * classes);
    const auto best = std::max_element(own, own + static_cast<std::ptrdiff_t>(classes)) - own;
    out[row * classes + static_cast<std::size_t>(best)] += 1;
  }
}

std::vector<std::uint16_t> winners(std::span<const double> votes, std::size_t classes) {
  std::vector<std::uint16_t> result;
  for (std::size_t start = 0; start < votes.size(); start += classes) {
    const std::span<const double> own = votes.subspan(start, classes);
    result.push_back(static_cast<std::uint16_t>(std::ranges::max_element(own) - own.begin()));
  }
  return result;
}

}  // namespace dpfermi
