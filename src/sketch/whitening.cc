#include "sketch/whitening.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "core/team.h"

namespace dpfermi {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Values>
auto table(Values& values, std::size_t rows) {
  using Table =
      std::conditional_t<std::is_const_v<typename Values::element_type>, const RowMajor, RowMajor>;
  return Eigen::Map<Table>(values.data(), static_cast<Eigen::Index>(rows),
                           static_cast<Eigen::Index>(values.size() / rows));
}

struct Rows {
  std::size_t next, last;
};

/// Adds w phi phi^T of the next rows, as many as make a piece of work, to the lower triangle of
/// `moments`, a row-major table of `inputs` columns; returns the sum of w.
double add_moments(Rows& rows, const Whitening::Row& row, std::size_t inputs,
                   std::span<double> moments) {
  constexpr std::size_t kPiece = std::size_t{1} << 27;  // products
  std::vector<std::pair<std::size_t, double>> phi;
  double total = 0;
  for (std::size_t products = 0; rows.next < rows.last && products < kPiece; ++rows.next) {
    phi.clear();
    const double weight = row(rows.next, phi);
    products += phi.size() * phi.size() / 2;
    total += weight;
    // The entries of one triangle, each once.
    std::ranges::sort(phi, {}, &std::pair<std::size_t, double>::first);
    for (std::size_t a = 0; a < phi.size(); ++a) {
      double* out = moments.data() + phi[a].first * inputs;
      const double factor = weight * phi[a].second;
      for (std::size_t b = 0; b <= a; ++b) out[phi[b].first] += factor * phi[b].second;
    }
  }
  return total;
}

}  // namespace

std::optional<Whitening> Whitening::create(std::size_t rows, const Row& row,
                                           std::span<const double> ridge, Workers* workers,
                                           const std::function<bool()>& goes_on) {
  const std::size_t inputs = ridge.size();
  if (inputs == 0 || inputs > kMostInputs || rows == 0) return std::nullopt;
  constexpr std::size_t kTasks = 4;
  // Of each task: the moments, then the sum of w.
  const std::size_t size = inputs * inputs;
  std::vector<double> parts(kTasks * (size + 1));
  Team& team = team_of(workers);
  const Share share = team.share(kTasks);
  std::vector<Rows> left;
  for (std::size_t task = share.first; task < share.last; ++task) {
    left.push_back({task * rows / kTasks, (task + 1) * rows / kTasks});
  }
  const auto unfinished = [](const Rows& of) { return of.next < of.last; };
  bool stopped = false;
  while (!stopped && std::ranges::any_of(left, unfinished)) {
    run_tasks(workers, left.size(), [&](std::size_t index, unsigned) {
      const std::size_t start = (share.first + index) * (size + 1);
      const std::span<double> part = std::span(parts).subspan(start, size + 1);
      part[size] += add_moments(left[index], row, inputs, part);
    });
    stopped = std::ranges::any_of(left, unfinished) && goes_on && !goes_on();
  }
  // A process that stops still meets the others here.
  team.gather(parts, size + 1);
  if (stopped) return std::nullopt;
  for (std::size_t start = size + 1; start < parts.size(); start += size + 1) {
    for (std::size_t i = 0; i <= size; ++i) parts[i] += parts[start + i];
  }
  const double total = parts[size];
  parts.resize(size);
  const std::span<double> lower(parts);
  auto moments = table(lower, inputs);
  if (!(total > 0)) return std::nullopt;
  moments /= total;
  for (std::size_t j = 0; j < inputs; ++j) {
    moments(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)) += ridge[j];
  }
  const Eigen::LLT<Eigen::Ref<RowMajor>> factor(moments);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return Whitening(inputs, std::move(parts));
}

std::vector<double> Whitening::whiten(std::span<const double> theta) const {
  std::vector<double> u(theta.size());
  const std::span<const double> lower(lower_);
  const std::span<double> out(u);
  table(out, inputs_).noalias() =
      table(lower, inputs_).transpose().triangularView<Eigen::Upper>() * table(theta, inputs_);
  return u;
}

void Whitening::restore(std::span<const double> u, std::span<double> theta) const {
  std::ranges::copy(u, theta.begin());
  const std::span<const double> lower(lower_);
  auto out = table(theta, inputs_);
  table(lower, inputs_).transpose().triangularView<Eigen::Upper>().solveInPlace(out);
}

void Whitening::whiten_gradient(std::span<const double> in_theta, std::span<double> in_u) const {
  std::ranges::copy(in_theta, in_u.begin());
  const std::span<const double> lower(lower_);
  auto out = table(in_u, inputs_);
  table(lower, inputs_).triangularView<Eigen::Lower>().solveInPlace(out);
}

}  // namespace dpfermi
