#include "privacy/mechanism/response_randomizer.h"

#include <cmath>
#include <string>

#include "core/team.h"
#include "privacy/mechanism/release_tap.h"
#include "random/key_stream.h"
#include "random/uniform.h"

namespace dpfermi {
namespace {

constexpr double kCoin = 0x1p62;  // N

}  // namespace

double keep_probability(std::size_t choices, double epsilon) {
  // A few units in the last place outweigh the roundings of this line and of the product with N.
  return (1 - 16 * 0x1p-53) / (1 + static_cast<double>(choices - 1) * std::exp(-epsilon));
}

Result<std::vector<std::uint16_t>> ResponseRandomizer::release(
    const Protected<std::vector<std::uint16_t>>& values, std::size_t choices, Adjacency adjacency,
    double epsilon, ReleasePermit permit, NoiseLane lane) {
  const PrivacyEvent& charged = permit.event();
  const auto* node = std::get_if<PureRelease>(&charged.node());
  if (node == nullptr || charged.adjacency() != adjacency || node->epsilon != epsilon ||
      choices < 2) {
    return usage_error("the ledger was charged for " + describe(charged) + " under " +
                       std::string(to_string(charged.adjacency())) +
                       ", but the release is randomised response of epsilon " +
                       std::to_string(epsilon) + "; charge what is released");
  }
  DPFERMI_TRY(permit.check_noise(lane.reproducibility()));
  DPFERMI_TRY(permit.check_tap(values.invented()));
  DPFERMI_TRY(permit.consume());
  const std::vector<std::uint16_t>& truth = values.read(ProtectedReadKey());
  const auto keep = static_cast<std::uint64_t>(keep_probability(choices, epsilon) * kCoin);
  KeyStream stream = lane.stream(0, 0);
  std::vector<std::uint16_t> answers(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const bool kept = bernoulli(keep, static_cast<std::uint64_t>(kCoin), stream);
    const std::uint64_t step = kept ? 0 : 1 + uniform_below(choices - 1, stream);
    answers[i] = static_cast<std::uint16_t>((truth[i] + step) % choices);
  }
  DPFERMI_TRY(stream.status());
  if (ReleaseTap* tap = permit.tap()) tap->on_responses({charged, choices, truth, answers});
  DPFERMI_TRY(hand_out(lane.team(), std::span(answers)));
  return answers;
}

}  // namespace dpfermi
