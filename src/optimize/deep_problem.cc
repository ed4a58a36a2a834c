#include "optimize/deep_problem.h"

#include <algorithm>
#include <cmath>

#include "core/mutant.h"
#include "core/text.h"
#include "core/vector_math.h"
#include "optimize/table_sums.h"

namespace dpfermi {

Result<NetworkScale> measure_network(DeepNetwork& network, std::span<const std::uint16_t> y) {
  constexpr std::size_t kRows = 64;
  constexpr double kLeast = 1e-12;  // surer than this, rounding is all that is left
  const std::size_t l = network.classes();
  const std::size_t rows = std::min(kRows, y.size());
  DPFERMI_TRY(network.set_parameters(network.start()));
  const std::vector<double> none(l);
  const std::uint32_t line = 0;
  std::vector<double> gradient(network.parameters());
  std::vector<double> f(l);
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::uint32_t>(i * y.size() / rows);
    DPFERMI_TRY(network.gradient({{&row, 1}, 1, none, {&line, 1}}, gradient, f));
    f[y[row]] -= 1;
    const double outputs = dot(f, f);
    if (outputs < kLeast) continue;
    sum += dot(gradient, gradient) / outputs;
    ++count;
  }
  return NetworkScale{network.parameters(), count == 0 ? 0 : sum / static_cast<double>(count)};
}

Status DeepProblem::check(const Dataset& data, const DeepNetwork& network) {
  if (data.unit_count != data.rows()) {
    return usage_error("a network is trained on one image per person; keep one of each");
  }
  if (network.rows() != data.rows() || network.classes() != data.classes) {
    return usage_error("the network knows " + with_thousands(network.rows()) + " rows of " +
                       std::to_string(network.classes()) + " classes, and the data has " +
                       with_thousands(data.rows()) + " of " + std::to_string(data.classes) +
                       "; load the same images");
  }
  return {};
}

Result<DeepProblem> DeepProblem::create(const Dataset& data, DeepNetwork& network,
                                        ErmiPenalty penalty, Adjacency adjacency,
                                        FermiOptions options) {
  DPFERMI_TRY(check(data, network));
  return DeepProblem(data, network, std::move(penalty), adjacency, options);
}

DeepProblem::DeepProblem(const Dataset& data, DeepNetwork& network, ErmiPenalty penalty,
                         Adjacency adjacency, FermiOptions options)
    : fairness_(std::move(penalty), adjacency, options),
      data_(&data),
      network_(&network),
      row_of_unit_(data.rows()) {
  for (std::uint32_t row = 0; row < data.rows(); ++row) row_of_unit_[data.units[row]] = row;
}

void DeepProblem::begin_step(std::span<const double> theta, std::span<const double> w) {
  fairness_.begin_step(w);
  trouble_ = network_->set_parameters(theta);
}

std::vector<double> DeepProblem::widened(std::span<const double> functionals, double factor) const {
  const bool two = width() == 1;
  std::vector<double> wide;
  wide.reserve(functionals.size() * (two ? 2 : 1));
  for (const double entry : functionals) {
    if (two) wide.push_back(0);
    wide.push_back(factor * entry);
  }
  return wide;
}

std::vector<double> DeepProblem::narrowed(std::span<const double> f) const {
  std::vector<double> narrow(f.begin(), f.end());
  if (width() > 1) return narrow;
  for (std::size_t i = 0; i < f.size() / 2; ++i) narrow[i] = f[2 * i + 1];
  narrow.resize(f.size() / 2);
  return narrow;
}

std::vector<std::uint32_t> DeepProblem::conditions_of(std::span<const std::uint32_t> rows) const {
  std::vector<std::uint32_t> conditions;
  conditions.reserve(rows.size());
  for (const std::uint32_t row : rows)
    conditions.push_back(fairness_.condition_by_label()[data_->y[row]]);
  return conditions;
}

std::vector<std::uint32_t> DeepProblem::rows_of(std::span<const std::uint32_t> units) const {
  std::vector<std::uint32_t> rows;
  rows.reserve(units.size());
  for (const std::uint32_t unit : units) rows.push_back(row_of_unit_[unit]);
  return rows;
}

void DeepProblem::add_public(std::span<const std::uint32_t> units, Gradients& gradients, Workers*) {
  if (!trouble_) return;
  const std::vector<std::uint32_t> rows = rows_of(units);
  const std::vector<std::uint32_t> conditions = conditions_of(rows);
  const std::vector<double> v = widened(fairness_.functionals().common, fairness_.lambda());
  std::vector<double> mean(theta_size());
  std::vector<double> f(rows.size() * data_->classes);
  trouble_ = network_->gradient(
      {.rows = rows, .loss_weight = 1, .functionals = v, .which = conditions, .tau = tau()}, mean,
      f);
  if (!trouble_) return;
  add(mean, gradients.theta);

  const std::vector<double> narrow = narrowed(f);
  const std::vector<double> weights(FactorBlock::kRows, 1.0);
  std::vector<double> hard(FactorBlock::kRows * width());
  FairnessState::PublicSums sums = fairness_.no_sums();
  for (std::size_t start = 0; start < rows.size(); start += FactorBlock::kRows) {
    const std::size_t count = std::min(FactorBlock::kRows, rows.size() - start);
    const auto own = std::span(narrow).subspan(start * width(), count * width());
    fairness_.decide(own, hard);
    fairness_.add_public_rows(
        {std::span(conditions).subspan(start, count), own, hard, std::span(weights).first(count)},
        sums);
  }
  fairness_.set_public(std::move(sums));
}

Result<ClippedSum> DeepProblem::clipped_sum(const Privatizer& privatizer, Batch batch, Workers*) {
  DPFERMI_TRY(trouble_);
  return privatizer.sum_integers(
      data_->s, std::move(batch),
      [&](const std::vector<std::uint16_t>& s, std::span<const std::uint32_t> units,
          const ContributionLayout& layout,
          std::span<std::int64_t> sums) { return secret_sum(s, units, layout, sums); });
}

DeepProblem::SecretRows DeepProblem::secret_rows(const std::vector<std::uint16_t>& s,
                                                 std::span<const std::uint32_t> units) const {
  SecretRows secret{.rows = rows_of(units),
                    .conditions = {},
                    .cells = std::vector<std::uint32_t>(units.size()),
                    .v = widened(fairness_.functionals().by_group,
                                 fairness_.public_features() ? 1 : fairness_.lambda()),
                    .loss_weight = fairness_.public_features() ? 0.0 : 1.0,
                    .tau = tau()};
  secret.conditions = conditions_of(secret.rows);
  fairness_.find_cells(secret.conditions, s, secret.rows, secret.cells);
  return secret;
}

Status DeepProblem::secret_sum(const std::vector<std::uint16_t>& s,
                               std::span<const std::uint32_t> units,
                               const ContributionLayout& layout, std::span<std::int64_t> sums) {
  const SecretRows secret = secret_rows(s, units);
  double clip_norm = layout.segments()[0].clip_norm;
  double longest = layout.longest(0);
  if (mutant(Mutant::kClipAfterAveraging)) {
    clip_norm *= 12;
    longest *= 12;
  }
  if (mutant(Mutant::kLambdaAfterClip)) longest *= 2.5;
  std::vector<double> f(units.size() * data_->classes);
  DPFERMI_TRY(
      network_->clipped_sum(secret.asked(), clip_norm, longest, sums.first(theta_size()), f));
  const std::span<std::int64_t> tables = sums.subspan(theta_size());
  std::vector<std::int64_t> integers(fairness_.dense_size());
  for_tables(secret, f, [&](std::span<const double> dense) {
    layout.quantise_segment(1, dense, integers);
    for (std::size_t j = 0; j < integers.size(); ++j) tables[j] += integers[j];
  });
  return {};
}

Status DeepProblem::add_exact(const ExactRead& read, std::span<const std::uint32_t> units,
                              Gradients& gradients, Workers*) {
  DPFERMI_TRY(trouble_);
  const SecretRows secret = secret_rows(read.of(data_->s), units);
  const auto count = static_cast<double>(units.size());
  std::vector<double> theta(theta_size());
  std::vector<double> f(units.size() * data_->classes);
  DPFERMI_TRY(network_->gradient(secret.asked(), theta, f));
  for (double& entry : theta) entry *= count;
  std::vector<double> table(fairness_.dense_size());
  for_tables(secret, f, [&](std::span<const double> dense) { add(dense, table); });
  fairness_.add_sums(theta, table, 0, count, gradients);
  return {};
}

void DeepProblem::for_tables(const SecretRows& secret, std::span<const double> f,
                             const std::function<void(std::span<const double>)>& use) const {
  const std::vector<double> narrow = narrowed(f);
  const double one = 1;
  std::vector<double> hard(width());
  std::vector<double> dense(fairness_.dense_size());
  for (std::size_t i = 0; i < secret.rows.size(); ++i) {
    const auto own = std::span(narrow).subspan(i * width(), width());
    fairness_.decide(own, hard);
    std::ranges::fill(dense, 0.0);
    fairness_.write_tables({std::span(secret.conditions).subspan(i, 1), own, hard, {&one, 1}},
                           std::span(secret.cells).subspan(i, 1), 1, dense);
    use(dense);
  }
}

}  // namespace dpfermi
