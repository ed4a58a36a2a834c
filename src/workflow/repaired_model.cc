#include "workflow/repaired_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "artifact/model_file.h"
#include "core/text.h"
#include "data/unit_rows.h"
#include "preprocess/pipeline_json.h"

namespace dpfermi {

Result<TrainedModel> model_to_repair(const TrainingJob& job, const PreparedData& data,
                                     const StoredSketch* sketch) {
  const std::string& file = job.repaired_model;
  DPFERMI_ASSIGN(TrainedModel model, read_model(file));
  const auto refuse = [&](std::string_view why) {
    return usage_error(fmt::format("{} {}", file, why));
  };
  if (!model.privacy.releases.empty() && !is_private(model.privacy)) {
    return refuse(
        "promises no privacy, and its decisions would tell about the protected attribute; repair a "
        "model trained without it (`method` erm) or with privacy");
  }
  if (!model.privacy.releases.empty() && model.privacy.adjacency != data.table.schema.adjacency) {
    return refuse("is private under another adjacency; repair a model of the same, or of erm");
  }
  if (sketch != nullptr && declared_parts(sketch->sketch.statement) > 0 &&
      declared_parts(model.privacy) > 0) {
    return refuse(
        "was trained from a merged sketch, and a person may be in a part of each of two; repair a "
        "model of `method` erm");
  }
  if (!model.rule.plain() || model.network) {
    return refuse(
        "does not decide by the scores of a table's rows alone; repair one that does, such as one "
        "of "
        "`method` erm");
  }
  if (model.spec.boosted) {
    return refuse(
        "holds boosted trees, which are too sure about the rows they were grown on; `method` "
        "repair with `boosted` grows them anew and repairs them by scores of unseen rows");
  }
  if (!data.train.scores.empty()) {
    return usage_error("`scores` and `repaired_model` exclude each other; give one of them");
  }
  if (model.classes != data.table.labels.classes ||
      json_of(model.pipeline) != json_of(data.pipeline)) {
    return refuse(
        "was trained on other rows, columns or classes than these; predict with it and give its "
        "probabilities as `score_prefix`");
  }
  return model;
}

void add_releases_of(const TrainedModel& repaired, PrivacyStatement& statement) {
  const PrivacyStatement& earlier = repaired.privacy;
  const bool same_run = earlier.recorded && statement.recorded &&
                        earlier.recorded->run_id == statement.recorded->run_id;
  if (earlier.releases.empty() || same_run) return;
  const auto sum = [](double a, double b) {
    return std::nextafter(a + b, std::numeric_limits<double>::infinity());
  };
  if (statement.cost) {
    statement.cost->epsilon = sum(statement.cost->epsilon, earlier.cost->epsilon);
    statement.cost->delta = sum(statement.cost->delta, earlier.cost->delta);
    statement.accountant += "; with those of the model that was repaired";
  }
  statement.releases.insert(statement.releases.begin(), earlier.releases.begin(),
                            earlier.releases.end());
  for (const std::string& assumption : earlier.assumptions) {
    if (!contains(statement.assumptions, assumption)) statement.assumptions.push_back(assumption);
  }
  statement.domain_declared = statement.domain_declared && earlier.domain_declared;
  statement.recorded_before = earlier.recorded;
}

std::string calibration_doubt(const Dataset& data) {
  // Small differences do no harm, and no calibration is perfect.
  constexpr double kHarmless = 0.01;
  constexpr double kDeviations = 4;
  if (data.scores.empty()) return "";
  const std::size_t l = data.classes;
  // A model that was trained with case weights is calibrated with them.
  const std::vector<double> weights = case_weights(data);
  double promised = 0;
  double kept = 0;
  double variance = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto own = std::span(data.scores).subspan(i * l, l);
    const auto best = std::ranges::max_element(own);
    promised += weights[i] * *best;
    variance += weights[i] * weights[i] * *best * (1 - *best);
    kept += data.y[i] == static_cast<std::size_t>(best - own.begin()) ? weights[i] : 0;
  }
  const auto n = static_cast<double>(data.rows());
  const double excess = (kept - promised) / n;
  if (std::abs(excess) <= std::max(kHarmless, kDeviations * std::sqrt(variance) / n)) return "";
  return fmt::format(
      "the scores are right about {:.1f} % of the rows and say {:.1f} %: {}", 100 * kept / n,
      100 * promised / n,
      excess > 0
          ? "was the model trained on these rows? Give scores of rows that it has not seen"
          : "they are too sure; give scores of rows that the model has not seen, or calibrate "
            "them");
}

std::string note_on_weights(const TrainingPlan& plan, const Dataset& data) {
  if (plan.method != Method::kRepair || data.weights.empty()) return "";
  return "case weights decide between rules, not within one: a rule must not need the weight of a "
         "new row";
}

}  // namespace dpfermi
