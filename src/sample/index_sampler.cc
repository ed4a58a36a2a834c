#include "sample/index_sampler.h"

#include <algorithm>
#include <string>

#include "random/key_stream.h"
#include "sample/keyed_order.h"

namespace dpfermi {

Result<ShuffleSampler> ShuffleSampler::create(std::uint32_t units, std::uint32_t size,
                                              NoiseLane lane) {
  if (size < 1 || size > units) {
    return usage_error("a batch of " + std::to_string(size) + " out of " + std::to_string(units) +
                       " units is impossible; choose a size between 1 and the number of units");
  }
  return ShuffleSampler(units, size, std::move(lane));
}

Result<std::vector<std::uint32_t>> ShuffleSampler::next() {
  if (!order_) {
    KeyStream stream = lane_.stream(epoch_, 0);
    auto order = std::make_shared<const KeyedOrder>(units_, stream);
    DPFERMI_TRY(stream.status());
    order_ = std::move(order);
  }
  const std::uint64_t first = batch_ * size_;
  std::vector<std::uint32_t> batch(std::min<std::uint64_t>(size_, units_ - first));
  order_->take(static_cast<std::uint32_t>(first), batch);
  skip(1);
  return batch;
}

void ShuffleSampler::skip(std::uint64_t count) {
  const std::uint64_t batches = batches_per_epoch();
  const std::uint64_t rest = batch_ + count % batches;
  const std::uint64_t epochs = count / batches + rest / batches;
  if (epochs > 0) order_.reset();
  epoch_ = NoiseLane::after(epoch_, epochs);
  batch_ = rest % batches;
}

}  // namespace dpfermi
