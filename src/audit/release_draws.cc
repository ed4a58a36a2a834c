#include "audit/release_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "audit/noise_checks.h"

namespace dpfermi {
namespace {

double charged_epsilon(const PrivacyEvent& event) {
  const auto* pure = std::get_if<PureRelease>(&event.node());
  return pure == nullptr ? 0 : pure->epsilon;
}

template <class Kind>
std::size_t count_of(const Kind& recording) {
  return recording.noise.empty() ? 0 : recording.noise.size() * recording.noise.front().size();
}

}  // namespace

void ReleaseDraws::name_kinds(const std::vector<PlanState>& plans) {
  for (const PlanState& state : plans) {
    for (const PlannedPart& part : state.plan.parts) names_[to_json(part.event)] = part.purpose;
  }
}

RunRecorder& ReleaseDraws::kind_of(const PrivacyEvent& charged, const ContributionLayout& layout) {
  std::string kind = to_json(charged);
  for (const Segment& segment : layout.segments()) kind += fmt::format(" {}", segment.size);
  RunRecorder& recorder = sums_.try_emplace(std::move(kind), units_).first->second;
  recorder.set_run(run_);
  return recorder;
}

void ReleaseDraws::on_batch(const TappedBatch& batch) {
  kind_of(batch.charged, batch.layout).on_batch(batch);
}

void ReleaseDraws::on_sum(const TappedSum& sum) {
  kind_of(sum.charged, sum.layout).on_sum(sum);
}

void ReleaseDraws::on_counts(const TappedCounts& counts) {
  const auto* charged = std::get_if<DiscreteGaussianRelease>(&counts.charged.node());
  CountsRecording& recording = counts_[to_json(counts.charged)];
  recording.sigma = charged == nullptr ? 0 : charged->sigma;
  std::vector<std::int64_t> noise(counts.noisy.begin(), counts.noisy.end());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= counts.exact[i];
  recording.noise.push_back(std::move(noise));
  recording.runs.push_back(run_);
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
  for (const Recording* recording : recordings()) least = std::min(least, count_of(*recording));
  for (const auto& [kind, counts] : counts_) least = std::min(least, count_of(counts));
  for (const auto& [kind, draws] : laplace_) least = std::min(least, draws.noise.size());
  for (const auto& [kind, answers] : answers_) least = std::min(least, answers.truth.size());
  return least == std::numeric_limits<std::size_t>::max() ? 0 : least;
}

std::size_t ReleaseDraws::entries_a_run() const {
  std::size_t draws = 0;
  for (const Recording* recording : recordings()) draws += count_of(*recording);
  return draws / std::max<std::size_t>(run_, 1);
}

void ReleaseDraws::append_named(const std::string& kind, std::vector<Check> own,
                                std::vector<Check>& checks) const {
  const auto name = names_.find(kind.substr(0, kind.rfind('}') + 1));
  for (Check& check : own) {
    if (name == names_.end()) break;
    check.note = check.note.empty() ? name->second : name->second + ", " + check.note;
  }
  append_checks(checks, std::move(own));
}

std::vector<Check> ReleaseDraws::checks() const {
  std::vector<Check> checks;
  for (const auto& [kind, recorder] : sums_) {
    append_named(kind, noise_checks(recorder.recording()), checks);
  }
  for (const auto& [kind, counts] : counts_) append_named(kind, counts_checks(counts), checks);
  for (const auto& [kind, draws] : laplace_) append_named(kind, laplace_checks(draws), checks);
  for (const auto& [kind, answers] : answers_) append_named(kind, answer_checks(answers), checks);
  for (auto first = counts_.begin(); first != counts_.end(); ++first) {
    for (auto second = std::next(first); second != counts_.end(); ++second) {
      append_named(second->first, {kinds_check(first->second, second->second)}, checks);
    }
  }
  for (auto first = sums_.begin(); first != sums_.end(); ++first) {
    const Recording& recording = first->second.recording();
    for (auto second = std::next(first); second != sums_.end(); ++second) {
      append_named(second->first, {kinds_check(recording, second->second.recording())}, checks);
    }
    for (const auto& [kind, counts] : counts_) {
      append_named(kind, {kinds_check(counts, recording)}, checks);
    }
  }
  return checks;
}

std::vector<Check> ReleaseDraws::checks_against(const ReleaseDraws& apart) const {
  std::vector<Check> checks;
  for (const auto& [kind, recorder] : sums_) {
    const auto other = apart.sums_.find(kind);
    if (other == apart.sums_.end()) continue;
    append_named(kind, {independence_check(recorder.recording(), other->second.recording())},
                 checks);
  }
  return checks;
}

std::vector<const Recording*> ReleaseDraws::recordings() const {
  std::vector<const Recording*> found;
  for (const auto& [kind, recorder] : sums_) found.push_back(&recorder.recording());
  return found;
}

std::vector<const Recording*> ReleaseDraws::sampled() const {
  std::vector<const Recording*> found = recordings();
  std::erase_if(found, [](const Recording* recording) { return recording->charged.q >= 1; });
  return found;
}

Check repetition_check(std::span<const ReleaseDraws* const> draws) {
  std::vector<const Recording*> all;
  for (const ReleaseDraws* own : draws) {
    const std::vector<const Recording*> recordings = own->recordings();
    all.insert(all.end(), recordings.begin(), recordings.end());
  }
  return repetition_check(std::span<const Recording* const>(all));
}

}  // namespace dpfermi
