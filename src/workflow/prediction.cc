#include "workflow/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scratch_folder.h"
#include "core/text.h"
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

std::vector<NumberCount> count_numbers(const Pipeline& pipeline, const Table& table) {
  std::vector<NumberCount> counts;
  for (const NumericFeature& feature : pipeline.numeric()) {
    const auto found = std::ranges::find(table.features, feature.column, &Column::name);
    if (found == table.features.end()) continue;
    const auto* numbers = std::get_if<NumericColumn>(&found->data);
    if (numbers == nullptr) continue;
    const Standardizer& z = feature.standardizer;
    NumberCount count{.column = feature.column};
    for (const double value : numbers->values) {
      if (std::isnan(value)) {
        ++count.missing;
      } else if (z.bounds) {
        count.outside += value < z.bounds->first || value > z.bounds->second ? 1 : 0;
      } else {
        count.far += std::abs(value - z.centre) > NumberCount::kFar * z.scale ? 1 : 0;
      }
    }
    if (count.missing + count.outside + count.far > 0) counts.push_back(std::move(count));
  }
  return counts;
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
  std::vector<NumberCount> numbers = count_numbers(model.pipeline, table);
  PredictedRows rows{std::move(table), encoded.unseen, std::move(numbers), {}};
  DPFERMI_ASSIGN(rows.predictions, predict_rows(model, encoded.data));
  return rows;
}

}  // namespace dpfermi
