#include "dpfermi/sample/index_sampler.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>

#include "dpfermi/random/key_stream.h"
#include "dpfermi/random/uniform.h"

namespace dpfermi {
namespace {

Status check_size(std::uint32_t units, std::uint32_t size) {
  if (size >= 1 && size <= units) return {};
  return usage_error("a batch of " + std::to_string(size) + " out of " + std::to_string(units) +
                     " units is impossible; choose a size between 1 and the number of units");
}

}  // namespace

Result<FixedSizeSampler> FixedSizeSampler::create(std::uint32_t units, std::uint32_t size,
                                                  NoiseLane lane) {
  DPFERMI_TRY(check_size(units, size));
  return FixedSizeSampler(units, size, std::move(lane));
}

Result<std::vector<std::uint32_t>> FixedSizeSampler::next() {
  // Floyd's method: after the step for `last`, the set is a uniform subset of [0, last].
  KeyStream stream = lane_.stream(step_, 0);
  std::unordered_set<std::uint32_t> chosen;
  chosen.reserve(size_);
  for (std::uint32_t last = units_ - size_; last < units_; ++last) {
    const auto candidate =
        static_cast<std::uint32_t>(uniform_below(std::uint64_t{last} + 1, stream));
    if (!chosen.insert(candidate).second) chosen.insert(last);
  }
  DPFERMI_TRY(stream.status());
  step_ = NoiseLane::after(step_, 1);
  std::vector<std::uint32_t> batch(chosen.begin(), chosen.end());
  std::ranges::sort(batch);
  return batch;
}

Result<ShuffleSampler> ShuffleSampler::create(std::uint32_t units, std::uint32_t size,
                                              NoiseLane lane) {
  DPFERMI_TRY(check_size(units, size));
  return ShuffleSampler(units, size, std::move(lane));
}

Result<std::vector<std::uint32_t>> ShuffleSampler::next() {
  if (position_ == order_.size()) {
    KeyStream stream = lane_.stream(epoch_, 0);
    std::iota(order_.begin(), order_.end(), 0U);
    for (std::size_t i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[uniform_below(i, stream)]);
    }
    DPFERMI_TRY(stream.status());
    epoch_ = NoiseLane::after(epoch_, 1);
    position_ = 0;
  }
  const std::size_t end = std::min(position_ + size_, order_.size());
  std::vector<std::uint32_t> batch(order_.begin() + static_cast<std::ptrdiff_t>(position_),
                                   order_.begin() + static_cast<std::ptrdiff_t>(end));
  position_ = end;
  return batch;
}

std::uint64_t ShuffleSampler::batches_per_epoch() const {
  return (order_.size() + size_ - 1) / size_;
}

}  // namespace dpfermi
