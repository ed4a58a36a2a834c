#include "workflow/prediction.h"

#include <fmt/format.h>

#include <random>

#include "core/scratch_folder.h"
#include "core/text.h"
#include "model/decisions.h"
#include "workflow/model_use.h"

namespace dpfermi {
namespace {

/// The rows to predict for: those of the table, or what the model's network says about the images
/// that it names.
Result<Table> read_rows(Observer& observer, const TrainedModel& model,
                        const PredictionChoice& given) {
  Schema schema = prediction_schema(model);
  schema.id = given.id;
  TableChoice choice = given.table.read_as(schema);
  if (!given.images.given()) {
    DPFERMI_TRY(vision::check_feature_table(model, choice.request.files));
    return vision::or_ask_for_images(read_table(choice.request), model);
  }
  DPFERMI_ASSIGN(const ScratchFolder folder, ScratchFolder::create());
  Schema names;
  names.id = given.id;
  DPFERMI_ASSIGN(const std::string features,
                 given.images.embed(observer, model, given.table, folder, names));
  choice.request.files = {features};
  choice.request.schema.format = {};
  if (given.id.empty()) choice.request.schema.id = given.images.column;
  return read_table(choice.request);
}

/// The class of each row: the likeliest, or drawn where the model says so.
std::vector<std::size_t> decide(const TrainedModel& model, std::span<const float> probabilities,
                                std::optional<std::uint64_t> seed) {
  const std::size_t l = model.classes.size();
  std::mt19937_64 random(seed ? *seed : std::random_device{}());
  std::vector<std::size_t> decisions;
  for (std::size_t at = 0; at < probabilities.size(); at += l) {
    const std::span<const float> row = probabilities.subspan(at, l);
    if (decides_by_rule(model)) {
      decisions.push_back(std::discrete_distribution<std::size_t>(row.begin(), row.end())(random));
    } else {
      decisions.push_back(predicted_class(row));
    }
  }
  return decisions;
}

}  // namespace

Status PredictionChoice::check(const TrainedModel& model) const {
  if (prediction_schema(model).columns.contains(id)) {
    return usage_error(
        fmt::format("`id` {}: the model reads that column as a feature; copy it under another name",
                    printable(id)));
  }
  if (images.given() && !model.network) {
    return usage_error("the model was not trained on images; leave out `images`");
  }
  return {};
}

Result<PredictedRows> predict_rows(Observer& observer, const TrainedModel& model,
                                   const PredictionChoice& choice) {
  DPFERMI_TRY(choice.check(model));
  DPFERMI_ASSIGN(Table table, read_rows(observer, model, choice));
  DPFERMI_ASSIGN(const EncodedDataset encoded, model.pipeline.apply(table, all_rows(table)));
  PredictedRows rows{std::move(table), encoded.unseen, {}};
  DPFERMI_ASSIGN(rows.predictions.probabilities, probabilities(model, encoded.data));
  rows.predictions.decisions = decide(model, rows.predictions.probabilities, choice.seed);
  return rows;
}

}  // namespace dpfermi
