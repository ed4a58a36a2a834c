#include "training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace dpfermi::deep {
namespace {

using Clock = std::chrono::steady_clock;

/// How far back the smoothed tables reach. A shorter memory makes them noisy, and a large lambda
/// makes noise of that in the gradient; a longer one, late.
constexpr double kEpochsRemembered = 0.5;

struct Batch {
  std::vector<std::uint32_t> rows;     ///< images
  std::vector<std::uint32_t> members;  ///< the same, each in some view
};

/// Whole batches only: what is left over at the end has its turn in another epoch.
std::vector<Batch> deal(std::span<const std::uint32_t> rows, std::size_t images,
                        const TrainingSettings& settings, std::uint32_t epoch) {
  std::seed_seq seed{settings.seed, std::uint64_t{epoch}};
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> order(rows.begin(), rows.end());
  std::ranges::shuffle(order, random);
  const std::size_t size = std::min<std::size_t>(settings.batch, order.size());
  std::vector<Batch> batches(order.size() / size);
  for (std::size_t i = 0; i < batches.size() * size; ++i) {
    Batch& batch = batches[i / size];
    const auto view = static_cast<std::uint32_t>((random() >> 32) % kViews);
    batch.rows.push_back(order[i]);
    batch.members.push_back(order[i] + view * static_cast<std::uint32_t>(images));
  }
  return batches;
}

/// The mean cross-entropy, from probabilities of sharpness tau.
double mean_loss(const Batch& batch, std::span<const std::uint16_t> labels,
                 std::span<const float> f, std::size_t classes, double tau) {
  const auto plain = [&](float p) {
    return std::pow(std::max(1e-30, static_cast<double>(p)), 1 / tau);
  };
  double sum = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const std::span<const float> own = f.subspan(i * classes, classes);
    double all = 0;
    for (const float p : own) all += plain(p);
    sum += std::log(all / plain(own[labels[batch.rows[i]]]));
  }
  return sum / static_cast<double>(batch.rows.size());
}

}  // namespace

void train(DeepModel& model, std::span<const std::uint32_t> rows,
           std::span<const std::uint16_t> labels, std::size_t classes, ProxyPenalty* penalty,
           const TrainingSettings& settings, std::uint32_t first, const TrainingHooks& hooks) {
  if (penalty != nullptr) penalty->set_marginals(rows);
  const std::vector<float> none(classes);
  std::vector<float> f;
  double images = 0;
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  for (std::uint32_t epoch = first; epoch < settings.epochs; ++epoch) {
    const std::vector<Batch> batches = deal(rows, labels.size(), settings, epoch);
    const double smoothing =
        std::min(1.0, 1 / (kEpochsRemembered * static_cast<double>(batches.size())));
    double loss = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const Batch& batch = batches[b];
      std::vector<std::uint32_t> which(batch.rows.size());
      std::vector<float> functionals = none;
      if (penalty != nullptr) {
        functionals = penalty->functionals(batch.rows, settings.lambda);
        std::iota(which.begin(), which.end(), 0U);
      }
      f.resize(batch.rows.size() * classes);
      must(model.public_gradient({batch.members, 1, functionals, which, settings.tau}, f));
      if (penalty != nullptr) penalty->add(batch.rows, f, smoothing);
      const double share =
          (epoch + static_cast<double>(b) / static_cast<double>(batches.size())) / settings.epochs;
      must(model.adapt(settings.rate * 0.5 * (1 + std::cos(std::numbers::pi * share)),
                       settings.decay));

      images += static_cast<double>(batch.rows.size());
      loss += mean_loss(batch, labels, f, classes, settings.tau);
      const Clock::time_point now = Clock::now();
      if (hooks.progress && (now - last > std::chrono::seconds(1) || b + 1 == batches.size())) {
        last = now;
        const double seconds = std::chrono::duration<double>(now - start).count();
        const double done = static_cast<double>(epoch - first) +
                            static_cast<double>(b + 1) / static_cast<double>(batches.size());
        hooks.progress({epoch + 1, share, images / seconds, loss / static_cast<double>(b + 1),
                        seconds * (settings.epochs - first - done) / done});
      }
    }
    if (!std::isfinite(loss)) throw Failure("the loss is not finite; use a smaller --rate");
    if (hooks.epoch_ended) hooks.epoch_ended(epoch + 1);
  }
}

}  // namespace dpfermi::deep
