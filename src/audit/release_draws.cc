#include "audit/release_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "audit/noise_checks.h"

namespace dpfermi {
namespace {

double charged_epsilon(const PrivacyEvent& event) {
  const auto* pure = std::get_if<PureRelease>(&event.node());
  return pure == nullptr ? 0 : pure->epsilon;
}

std::size_t draws_of(const Recording& recording) {
  return recording.noise.empty() ? 0 : recording.noise.size() * recording.noise.front().size();
}

}  // namespace

RunRecorder& ReleaseDraws::kind_of(const PrivacyEvent& charged, const ContributionLayout& layout) {
  std::string kind = to_json(charged);
  for (const Segment& segment : layout.segments()) kind += fmt::format(" {}", segment.size);
  return sums_.try_emplace(std::move(kind), units_).first->second;
}

void ReleaseDraws::on_batch(const TappedBatch& batch) {
  kind_of(batch.charged, batch.layout).on_batch(batch);
}

void ReleaseDraws::on_sum(const TappedSum& sum) {
  kind_of(sum.charged, sum.layout).on_sum(sum);
}

void ReleaseDraws::on_counts(const TappedCounts& counts) {
  RunRecorder recorder(units_);
  recorder.on_counts(counts);
  counts_[to_json(counts.charged)].push_back(recorder.recording());
}

void ReleaseDraws::on_laplace(const TappedLaplace& sums) {
  LaplaceDraws& draws = laplace_[to_json(sums.charged)];
  draws.scale = neighbour_distance(sums.adjacency) * static_cast<double>(sums.longest) /
                charged_epsilon(sums.charged);
  for (std::size_t i = 0; i < sums.noisy.size(); ++i) {
    draws.noise.push_back(sums.noisy[i] - sums.exact[i]);
  }
}

void ReleaseDraws::on_responses(const TappedResponses& responses) {
  Answers& answers = answers_[to_json(responses.charged)];
  answers.epsilon = charged_epsilon(responses.charged);
  answers.choices = responses.choices;
  answers.truth.insert(answers.truth.end(), responses.exact.begin(), responses.exact.end());
  answers.given.insert(answers.given.end(), responses.noisy.begin(), responses.noisy.end());
}

std::size_t ReleaseDraws::fewest() const {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& [kind, recorder] : sums_) {
    least = std::min(least, draws_of(recorder.recording()));
  }
  for (const auto& [kind, draws] : laplace_) least = std::min(least, draws.noise.size());
  for (const auto& [kind, answers] : answers_) least = std::min(least, answers.truth.size());
  return least == std::numeric_limits<std::size_t>::max() ? 0 : least;
}

std::vector<Check> ReleaseDraws::checks(const ReleaseDraws& apart) const {
  std::vector<Check> checks;
  for (const auto& [kind, recorder] : sums_) {
    append_checks(checks, noise_checks(recorder.recording()));
    const auto other = apart.sums_.find(kind);
    if (other == apart.sums_.end()) continue;
    append_checks(checks, independence_checks(recorder.recording(), other->second.recording()));
  }
  for (const auto& [kind, runs] : counts_) append_checks(checks, counts_checks(runs));
  for (const auto& [kind, draws] : laplace_) append_checks(checks, laplace_checks(draws));
  for (const auto& [kind, answers] : answers_) append_checks(checks, answer_checks(answers));
  return checks;
}

std::vector<const Recording*> ReleaseDraws::sampled() const {
  std::vector<const Recording*> found;
  for (const auto& [kind, recorder] : sums_) {
    if (recorder.recording().charged.q < 1) found.push_back(&recorder.recording());
  }
  return found;
}

}  // namespace dpfermi
