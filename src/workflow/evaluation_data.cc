#include "workflow/evaluation_data.h"

#include <fmt/format.h>

#include <unordered_set>

#include "artifact/table_pack.h"
#include "core/text.h"
#include "data/split.h"
#include "vision/image_set.h"
#include "workflow/load.h"

namespace dpfermi {
namespace {

std::size_t count_units(const Table& table, const std::vector<std::uint32_t>& rows) {
  if (table.units.empty()) return rows.size();
  std::unordered_set<std::uint32_t> units;
  for (const std::uint32_t row : rows) units.insert(table.units[row]);
  return units.size();
}

Result<std::vector<std::uint32_t>> held_out_rows(const TrainedModel& model, const Table& table,
                                                 SplitRule rule) {
  const std::optional<HeldOut>& held_out = model.training.held_out;
  if (!held_out) {
    return usage_error("the model kept no rows for testing; leave out `held_out`");
  }
  DPFERMI_ASSIGN(Split split,
                 split_rows(split_blocks(table, rule), held_out->fraction, held_out->seed));
  const std::size_t units = count_units(table, split.train);
  if (units != model.training.units) {
    return usage_error(fmt::format(
        "`held_out`: the model was trained on {} units, this table would give {}; name the table "
        "that it was trained on, or leave out `held_out`",
        with_thousands(model.training.units), with_thousands(units)));
  }
  return std::move(split.test);
}

/// Makes the request one of what the model's network says about the images; protected columns come
/// from the file that names them, unless another is given.
Status use_images(Observer& observer, const TrainedModel& model, const EvaluationChoice& choice,
                  const ScratchFolder& folder, TableRequest& request) {
  if (!model.network) {
    return usage_error("the model was not trained on images; leave out `images`");
  }
  if (choice.held_out) {
    return usage_error(
        "`held_out` is for the table of features that training kept; leave out `images`");
  }
  if (request.files.size() != 1 || request.files.front() == "-") {
    return usage_error("labels of images are read more than once; keep them in one file");
  }
  Schema& schema = request.schema;
  DPFERMI_ASSIGN(std::string features, choice.images.embed(observer, model, choice.table, folder,
                                                           vision::label_schema(model, schema.id)));
  vision::take_groups_from(request.files.front(), choice.images.column, schema);
  schema.format = {};
  schema.format.missing = model.schema.format.missing;
  request.files = {std::move(features)};
  return {};
}

/// The test rows of a pack, which are encoded as the model needs them or not at all.
Result<EvaluationData> packed_rows(const TrainedModel& model, const EvaluationChoice& choice) {
  const TablePack& pack = *choice.table.pack;
  const std::string& file = choice.table.request.files.front();
  if (!choice.held_out) {
    return usage_error(fmt::format(
        "{}: a pack keeps the rows that a model was trained on apart from the others; add "
        "`held_out`",
        file));
  }
  const std::optional<HeldOut>& held_out = model.training.held_out;
  const bool same_rows = pack.test && held_out && held_out->seed == pack.split.seed &&
                         held_out->fraction == pack.split.fraction(pack.table.schema.adjacency) &&
                         pack.train.unit_count == model.training.units;
  if (!same_rows || to_json(pack.pipeline) != to_json(model.pipeline)) {
    return usage_error(fmt::format(
        "{}: the model was not trained on the rows of this pack; name the table that it was "
        "trained on",
        file));
  }
  return EvaluationData{choice.table.title, RereadableFiles::of_pack(pack.digests), pack.table,
                        EncodedDataset{*pack.test, {}}, std::nullopt};
}

}  // namespace

Result<EvaluationData> read_evaluation_data(Observer& observer, const TrainedModel& model,
                                            const EvaluationChoice& choice, Team& team) {
  if (choice.table.pack != nullptr) return packed_rows(model, choice);
  TableChoice table_choice = choice.table.read_as(model.schema);
  TableRequest& request = table_choice.request;
  request.schema.id = choice.id.empty() ? model.privacy.id_column : choice.id;
  std::optional<ScratchFolder> folder;
  if (choice.images.given()) {
    DPFERMI_ASSIGN(ScratchFolder made, ScratchFolder::create());
    folder.emplace(std::move(made));
    DPFERMI_TRY(use_images(observer, model, choice, *folder, request));
  } else {
    DPFERMI_TRY(vision::check_feature_table(model, request.files));
  }
  DPFERMI_ASSIGN(RereadableFiles files, RereadableFiles::create(request, team));
  DPFERMI_ASSIGN(Table table,
                 vision::or_ask_for_images(files.read(request.schema, request.use), model));
  std::vector<std::uint32_t> rows = all_rows(table);
  if (choice.held_out) {
    DPFERMI_ASSIGN(rows, held_out_rows(model, table, table_choice.split));
  }
  DPFERMI_ASSIGN(EncodedDataset encoded, model.pipeline.apply(table, rows));
  return EvaluationData{std::move(table_choice.title), std::move(files), std::move(table),
                        std::move(encoded), std::move(folder)};
}

}  // namespace dpfermi
