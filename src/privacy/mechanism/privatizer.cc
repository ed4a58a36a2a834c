#include "dpfermi/privacy/mechanism/privatizer.h"

#include <cmath>
#include <numeric>
#include <string>

#include "core/mutant.h"
#include "core/team.h"
#include "core/text.h"
#include "privacy/mechanism/partial_sum.h"
#include "privacy/mechanism/release_tap.h"
#include "random/key_stream.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

/// Entries of one noise stream: fixed, so that threads do not change the noise.
constexpr std::size_t kNoiseBlock = 4096;

Status check_covered(const PrivacyEvent& charged, Adjacency adjacency, const Sampling& sampling,
                     double noise_multiplier, Exchanged exchanged) {
  if (covers(charged, adjacency, sampling, noise_multiplier, exchanged)) return {};
  DPFERMI_ASSIGN(const PrivacyEvent actual,
                 gaussian_event(adjacency, sampling, noise_multiplier, exchanged));
  return usage_error("the ledger was charged for " + describe(charged) + " under " +
                     std::string(to_string(charged.adjacency())) + ", but the release is " +
                     describe(actual) + " under " + std::string(to_string(adjacency)) +
                     "; charge what is released");
}

Status check_batch(Adjacency adjacency, const Sampling& sampling, Reproducibility noise) {
  if (sampling.membership.value_or(noise) != noise) {
    return usage_error("the batch was drawn with randomness that is " +
                       std::string(to_string(*sampling.membership)) + ", but the noise is " +
                       std::string(to_string(noise)) + "; draw both with one kind of key");
  }
  if (adjacency == Adjacency::kAddRemoveRecord && !sampling.declared) {
    return usage_error(
        "under add-remove-record the number of units is protected; declare the number that sums "
        "are divided by");
  }
  return {};
}

/// Members of one task: a block's rows, whatever the number of workers.
constexpr std::size_t kBlock = FactorBlock::kRows;

std::size_t block_count(std::span<const std::uint32_t> members) {
  return (members.size() + kBlock - 1) / kBlock;
}

std::span<const std::uint32_t> block_of(std::span<const std::uint32_t> members, std::size_t index) {
  const std::size_t start = std::min(index * kBlock, members.size());
  return members.subspan(start, std::min(kBlock, members.size() - start));
}

std::size_t worker_count(const Workers* workers) {
  return workers == nullptr ? 1 : workers->count();
}

/// The rows of every unit, ascending.
class RowsByUnit {
 public:
  explicit RowsByUnit(const PlacedRows& rows)
      : starts_(rows.unit_count + std::size_t{1}), rows_(rows.units.size()) {
    for (const std::uint32_t unit : rows.units) ++starts_[unit + std::size_t{1}];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::size_t> next = starts_;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) rows_[next[rows.units[row]]++] = row;
  }

  std::span<const std::uint32_t> of(std::uint32_t unit) const {
    return std::span(rows_).subspan(starts_[unit], starts_[unit + 1] - starts_[unit]);
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> rows_;
};

Status check_rows(const PlacedRows& rows, std::size_t groups) {
  const bool fits =
      rows.units.size() == groups && rows.conditions.size() == groups &&
      std::ranges::all_of(rows.units, [&](auto unit) { return unit < rows.unit_count; });
  if (fits) return {};
  return usage_error("the rows of a sum need a unit, a condition and a group each");
}

}  // namespace

Privatizer::Privatizer(ContributionLayout layout, Adjacency adjacency, double noise_multiplier,
                       ReleasePermit permit, NoiseLane lane)
    : layout_(std::move(layout)),
      adjacency_(adjacency),
      noise_multiplier_(noise_multiplier),
      permit_(std::move(permit)),
      lane_(std::move(lane)) {}

Result<Privatizer> Privatizer::create(ContributionLayout layout, Adjacency adjacency,
                                      double noise_multiplier, ReleasePermit permit,
                                      NoiseLane lane) {
  DPFERMI_TRY(RoundedGaussian::create(std::ldexp(noise_multiplier, layout.lattice_bits())));
  DPFERMI_TRY(permit.check_noise(lane.reproducibility()));
  const PrivacyEvent& charged = permit.event();
  // The sampling is known only with a batch; here the charge has to fit some batch.
  Sampling sampling{SamplingKind::kEveryone, 1, 1};
  if (const auto* poisson = std::get_if<PoissonGaussianRelease>(&charged.node())) {
    sampling = {SamplingKind::kPoisson, poisson->q, 1};
  } else if (const auto* revealed = std::get_if<RevealedPoissonGaussianRelease>(&charged.node())) {
    sampling = {SamplingKind::kPoisson, revealed->q, 1};
  } else if (covers(charged, adjacency, {SamplingKind::kUnamplified, 1, 1}, noise_multiplier)) {
    sampling.kind = SamplingKind::kUnamplified;
  }
  DPFERMI_TRY(check_covered(charged, adjacency, sampling, noise_multiplier, layout.exchanged()));
  return Privatizer(std::move(layout), adjacency, noise_multiplier, std::move(permit),
                    std::move(lane));
}

Result<ClippedSum> Privatizer::sum_batch(const Batch& batch, Exchanged exchanged, Invented invented,
                                         const SumOf& sum_of) const {
  if (exchanged != layout_.exchanged()) {
    return usage_error(
        "sum_placed() and layouts of placed vectors belong together; other sums need another "
        "layout");
  }
  const std::vector<std::uint32_t>& members = batch.members().read(ProtectedReadKey());
  DPFERMI_ASSIGN(LatticeSum sum, sum_share(members, sum_of));
  if (ReleaseTap* tap = permit_.tap()) {
    const auto integers_of =
        [&](std::span<const std::uint32_t> others) -> Result<std::vector<std::int64_t>> {
      DPFERMI_ASSIGN(LatticeSum other, sum_of(others));
      return std::move(other.sums_);
    };
    tap->on_batch({permit_.event(), adjacency_, batch.sampling(), layout_,
                   squared_distance(adjacency_, batch.sampling(), exchanged), members, sum.sums_,
                   integers_of});
  }
  return ClippedSum(layout_, batch.sampling(), std::move(sum), invented);
}

Result<LatticeSum> Privatizer::sum_share(std::span<const std::uint32_t> members,
                                         const SumOf& sum_of) const {
  Team& team = lane_.team();
  const Share own = team.share(block_count(members));
  const std::size_t first = std::min(own.first * kBlock, members.size());
  const std::size_t last = std::min(own.last * kBlock, members.size());
  DPFERMI_ASSIGN(LatticeSum sum, sum_of(members.subspan(first, last - first)));
  // Whether the sum of all could overflow is asked before anything is added.
  DPFERMI_TRY(sum.expect(members.size() - (last - first)));
  DPFERMI_TRY(team.add_up(sum.sums_));
  return sum;
}

Result<ClippedSum> Privatizer::sum_over(const Batch& batch, const UnitContribution& contribution,
                                        Invented invented, Workers* workers) const {
  const auto sum_of = [&](std::span<const std::uint32_t> members) {
    std::vector<PartialSum> parts(worker_count(workers), PartialSum(layout_));
    run_tasks(workers, block_count(members), [&](std::size_t block, unsigned worker) {
      std::vector<double> values(layout_.size());
      std::vector<std::int64_t> lattice(layout_.size());
      for (const std::uint32_t unit : block_of(members, block)) {
        std::ranges::fill(values, 0.0);
        contribution(unit, values);
        layout_.quantise(values, lattice);
        parts[worker].add(lattice);
      }
    });
    return merge(parts);
  };
  return sum_batch(batch, Exchanged::kVector, invented, sum_of);
}

Result<ClippedSum> Privatizer::sum_blocks(const Batch& batch, const BlockFactors& factors,
                                          Invented invented, Workers* workers) const {
  const auto sum_of = [&](std::span<const std::uint32_t> members) {
    std::vector<PartialSum> parts(worker_count(workers), PartialSum(layout_));
    run_tasks(workers, block_count(members), [&](std::size_t index, unsigned worker) {
      parts[worker].add_clipped(
          factors(block_of(members, index), block_of(members, index + 1), worker));
    });
    return merge(parts);
  };
  return sum_batch(batch, Exchanged::kVector, invented, sum_of);
}

Result<ClippedSum> Privatizer::sum_elsewhere(const Batch& batch, const Summer& summer,
                                             Invented invented) const {
  const auto sum_of = [&](std::span<const std::uint32_t> members) -> Result<LatticeSum> {
    std::vector<std::int64_t> integers(layout_.size());
    DPFERMI_TRY(summer(members, integers));
    LatticeSum sum(layout_.size(), layout_.lattice_bits());
    DPFERMI_TRY(sum.add_integers(integers, members.size()));
    return sum;
  };
  return sum_batch(batch, Exchanged::kVector, invented, sum_of);
}

Result<ClippedSum> Privatizer::sum_blocks_of(const std::vector<std::uint16_t>& groups,
                                             const PlacedRows& rows, const PublicVector& vector,
                                             Invented invented, Workers* workers) const {
  DPFERMI_TRY(check_rows(rows, groups.size()));
  const RowsByUnit rows_of(rows);
  const GroupBlocks blocks = layout_.blocks().value_or(GroupBlocks{});
  const auto sum_of = [&](std::span<const std::uint32_t> members) -> Result<LatticeSum> {
    std::vector<LatticeSum> parts(worker_count(workers),
                                  LatticeSum(layout_.size(), layout_.lattice_bits()));
    DPFERMI_TRY(parts[0].expect(members.size()));
    run_tasks(workers, block_count(members), [&](std::size_t index, unsigned worker) {
      std::vector<double> values(blocks.size);
      std::vector<std::int64_t> lattice(blocks.size);
      for (const std::uint32_t unit : block_of(members, index)) {
        for (const std::uint32_t row : rows_of.of(unit)) {
          if (rows.conditions[row] >= blocks.conditions) continue;
          std::ranges::fill(values, 0.0);
          vector(row, values);
          const std::size_t own = mutant(Mutant::kPersonsUnweighted) ? 1 : rows_of.of(unit).size();
          layout_.quantise_placed(values, own, lattice);
          if (groups[row] >= blocks.groups) continue;
          const std::size_t block = rows.conditions[row] * blocks.groups + groups[row];
          parts[worker].add_part(block * blocks.size, lattice);
        }
      }
    });
    for (std::size_t i = 1; i < parts.size(); ++i) DPFERMI_TRY(parts[0].merge(parts[i]));
    return std::move(parts[0]);
  };
  return sum_batch(Batch::everyone(rows.unit_count), Exchanged::kPlace, invented, sum_of);
}

Result<NoisySum> Privatizer::release(ClippedSum sum, Workers* workers) {
  if (!(sum.layout_ == layout_)) {
    return usage_error("the sum was made for another mechanism; use the one that made it");
  }
  DPFERMI_TRY(permit_.check_tap(sum.invented_));
  DPFERMI_TRY(check_covered(permit_.event(), adjacency_, sum.sampling_, noise_multiplier_,
                            layout_.exchanged()));
  DPFERMI_TRY(check_batch(adjacency_, sum.sampling_, lane_.reproducibility()));
  if (!mutant(Mutant::kPermitNotConsumed)) DPFERMI_TRY(permit_.consume());
  std::vector<std::int64_t> exact;
  if (permit_.tap() != nullptr) exact = sum.sum_.sums_;
  Team& team = lane_.team();
  if (team.leads() && !mutant(Mutant::kNoNoise)) DPFERMI_TRY(add_noise(sum.sum_.sums_, workers));
  step_ = NoiseLane::after(step_, mutant(Mutant::kNoiseRepeated) ? 0 : 1);
  ReleaseTap* const tap = permit_.tap();
  if (tap != nullptr) {
    tap->on_sum({permit_.event(), adjacency_, sum.sampling_, layout_,
                 squared_distance(adjacency_, sum.sampling_, layout_.exchanged()),
                 noise_multiplier_, exact, sum.sum_.sums_});
  }
  // What a tap substitutes at the leader is what all processes get.
  DPFERMI_TRY(hand_out(team, std::span(sum.sum_.sums_)));
  NoisySum noisy = to_noisy(sum);
  if (tap != nullptr) tap->on_released(noisy);
  return noisy;
}

Status Privatizer::add_noise(std::span<std::int64_t> sums, Workers* workers) const {
  double sigma = std::ldexp(noise_multiplier_, layout_.lattice_bits());
  if (mutant(Mutant::kHalfNoise)) sigma /= 2;
  if (mutant(Mutant::kNoiseFromData) && sums.back() % 2 == 0) sigma *= 0.9;
  const bool sketch = lane_.purpose() == Purpose::kSketchNoise;
  if (mutant(Mutant::kLowSketchNoise) && sketch) sigma *= 0.9;
  DPFERMI_ASSIGN(const RoundedGaussian gaussian, RoundedGaussian::create(sigma));
  const std::size_t blocks = (sums.size() + kNoiseBlock - 1) / kNoiseBlock;
  std::vector<Status> results(blocks);
  const auto add_block = [&](std::size_t block, unsigned) {
    const std::size_t start = block * kNoiseBlock;
    std::vector<std::int64_t> noise(std::min(kNoiseBlock, sums.size() - start));
    const std::size_t index = mutant(Mutant::kBlockForgotten) ? 0 : block;
    KeyStream stream = lane_.stream(step_, static_cast<std::uint32_t>(index));
    results[block] = gaussian.draw(stream, noise);
    if (mutant(Mutant::kSketchEntryExact) && sketch) noise.front() = 0;
    if (mutant(Mutant::kEntryExactAtTimes) && step_ % 7 == 6) noise.back() = 0;
    if (mutant(Mutant::kNoiseCorrelated)) {
      std::copy_n(noise.begin(), noise.size() / 2, noise.end() - noise.size() / 2);
    }
    // |sum| <= 2^62 and |noise| < 2^55: no overflow.
    for (std::size_t i = 0; i < noise.size(); ++i) sums[start + i] += noise[i];
  };
  run_tasks(workers, blocks, add_block);
  for (Status& result : results) DPFERMI_TRY(std::move(result));
  return {};
}

NoisySum Privatizer::to_noisy(const ClippedSum& sum) const {
  NoisySum noisy(permit_.event(), lane_.reproducibility(), sum.sampling_.expected_units);
  const std::vector<std::int64_t>& sums = sum.sum_.sums_;
  noisy.values_.reserve(sums.size());
  for (std::size_t s = 0; s < layout_.segments().size(); ++s) {
    const double step = layout_.step(s);
    const std::size_t end = noisy.starts_.back() + layout_.segments()[s].size;
    for (std::size_t i = noisy.starts_.back(); i < end; ++i) {
      noisy.values_.push_back(static_cast<double>(sums[i]) * step);
      if (mutant(Mutant::kNoiseOffLattice))
        noisy.values_.back() += step * std::sin(noisy.values_.back());
    }
    noisy.starts_.push_back(end);
    noisy.noise_.push_back(std::ldexp(noise_multiplier_, layout_.lattice_bits()) * step);
  }
  return noisy;
}

Status Privatizer::renew(ReleasePermit permit) {
  DPFERMI_TRY(permit.check_noise(lane_.reproducibility()));
  if (to_json(permit.event()) != to_json(permit_.event())) {
    return usage_error("the ledger was charged for " + describe(permit.event()) +
                       ", but the mechanism makes " + describe(permit_.event()) +
                       "; charge what is released");
  }
  permit_ = std::move(permit);
  return {};
}

double Privatizer::total_variation() const {
  return static_cast<double>(layout_.size()) * RoundedGaussian::kTotalVariation;
}

}  // namespace dpfermi
