#pragma once

/// Training by public terms: the loss, and psi under a proxy of s where one is given. Nothing here
/// needs noise, so Adam is at liberty.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/torch/deep_model.h"
#include "proxy_penalty.h"
#include "vision/network_files.h"

namespace dpfermi::deep {

/// Ends the program where the network could not do what it was asked to.
inline void must(const Outcome& outcome) {
  if (outcome) throw Failure(outcome->message);
}

struct TrainingSettings {
  std::uint32_t epochs = 12;
  std::uint32_t batch = 64;
  double rate = 1e-3;  ///< of Adam at the start; falls to 0 along half a cosine
  double decay = 0;    ///< of the parameters, times the rate
  std::uint64_t seed = 1;
  double lambda = 0;
  double tau = 1;  ///< sharpness of F inside psi
};

struct Pace {
  std::uint32_t epoch;  ///< from 1
  double share;         ///< of all batches that were made
  double images_per_second;
  double loss;          ///< mean cross-entropy of the epoch so far
  double seconds_left;  ///< of all epochs
};

struct TrainingHooks {
  std::function<void(const Pace&)> progress;              ///< about once a second
  std::function<void(std::uint32_t epochs)> epoch_ended;  ///< the model is whole here
};

/// Epochs [first, settings.epochs) over `rows`, every image in a view drawn at random.
/// The order and the views of an epoch depend on the seed and its number alone. The moments of Adam
/// start anew: a run that goes on after a crash is as good, not identical.
void train(DeepModel& model, std::span<const std::uint32_t> rows,
           std::span<const std::uint16_t> labels, std::size_t classes, ProxyPenalty* penalty,
           const TrainingSettings& settings, std::uint32_t first, const TrainingHooks& hooks);

}  // namespace dpfermi::deep
