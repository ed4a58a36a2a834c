#include "workflow/resume.h"

#include <fmt/format.h>

#include "artifact/artifact_json.h"
#include "data/checksum.h"
#include "optimize/dp_fermi_paper.h"

namespace dpfermi {
namespace {

/// The keys in which two plans differ. Which iterate is kept is drawn inside the run.
std::vector<std::string> differences(const TrainingPlan& a, const TrainingPlan& b) {
  const Json left = json_of(a);
  const Json right = json_of(b);
  std::vector<std::string> keys;
  for (const auto& [key, value] : left.items()) {
    if (key != "random_iterate" && (!right.contains(key) || right[key] != value)) {
      keys.push_back(key);
    }
  }
  for (const auto& [key, value] : right.items()) {
    if (!left.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace

Result<std::string> setup_digest(const TrainingJob& job, const PreparedData& data) {
  Json json = {{"pipeline", to_json(data.pipeline)},
               {"schema", to_json(data.table.schema)},
               {"test_fraction", job.split.test_fraction.value_or(-1)},
               {"split_seed", job.split.seed}};
  if (job.images) {
    DPFERMI_ASSIGN(json["images"], job.images->digest());
  }
  return sha256_of_bytes(json.dump());
}

Status check_same_run(const Checkpoint& checkpoint, const TrainingJob& job,
                      const TrainingPlan& plan, const std::string& setup) {
  const std::string again = "repeat the command of that run with `checkpoint.resume` added";
  if (checkpoint.seed != job.seed) {
    return usage_error(fmt::format("{} was written with {}; {}", job.checkpoint.resume,
                                   checkpoint.seed ? fmt::format("`seed` {}", *checkpoint.seed)
                                                   : "secret noise, without `seed`",
                                   again));
  }
  if (checkpoint.setup != setup) {
    return usage_error(fmt::format(
        "{} was written with {}another table, other columns or another split; {}",
        job.checkpoint.resume, job.images ? "other images, another network, " : "", again));
  }
  const auto differing = differences(unsettled_paper(checkpoint.training.plan), plan);
  if (differing.empty()) return {};
  return usage_error(fmt::format("{} was written with another plan ({}); {}", job.checkpoint.resume,
                                 fmt::join(differing, ", "), again));
}

}  // namespace dpfermi
