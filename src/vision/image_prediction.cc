#include "vision/image_prediction.h"

#include <fmt/format.h>

#include "core/text.h"
#include "vision/component.h"
#include "vision/image_network_files.h"
#include "vision/image_set.h"
#include "vision/kept_files.h"
#include "vision/network_workshop.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;

Schema label_schema(const TrainedModel& model, const std::string& id) {
  Schema schema;
  schema.adjacency = model.schema.adjacency;
  schema.missing = model.schema.missing;
  schema.format.missing = model.schema.format.missing;
  schema.target = model.schema.target;
  if (model.network && !model.network->target_bins.empty()) {
    schema.target.bins = model.network->target_bins;
    schema.target.values.clear();
  }
  schema.id = id;
  return schema;
}

Status check_feature_table(const TrainedModel& model, const std::vector<std::string>& files) {
  if (!model.network || model.network->table.empty()) return {};
  for (const std::string& file : files) {
    const bool kept = is_kept_name(file, kFeatureTable, ".csv");
    if (!kept || fs::path(file).filename() == model.network->table) continue;
    return usage_error(
        fmt::format("{}: holds features of another network; give {}, the model's own",
                    printable(file), printable(model.network->table)));
  }
  return {};
}

Result<Table> or_ask_for_images(Result<Table> table, const TrainedModel& model) {
  if (table || !model.network) return table;
  Error error = std::move(table).error();
  error.message += "; the model is of images: `images` says where they are";
  return tl::unexpected(std::move(error));
}

Result<std::string> PredictionImages::embed(Observer& observer, const TrainedModel& model,
                                            const TableChoice& names, const ScratchFolder& folder,
                                            Schema schema) const {
  DPFERMI_ASSIGN(std::string program, find_component());
  schema.image = column;
  if (schema.id == column) schema.id.clear();  // it is in front as it is
  TableChoice choice = names.read_as(schema);
  choice.request.schema.sensitive_file.clear();
  choice.request.schema.join.clear();
  DPFERMI_ASSIGN(const Table table, read_table(choice.request));
  DPFERMI_TRY(check_complete(table));

  const fs::path pack = folder.path() / "images.pack";
  const NetworkShape shape{model.network->architecture, model.network->side, device, precision,
                           workers};
  const ImagePackRequest request{images, table.images, shape.side};
  DPFERMI_ASSIGN(const std::string origin, pack_origin(request));
  DPFERMI_TRY(pack_image_set(observer, request, origin, pack));
  const fs::path network = folder.path() / "network";
  DPFERMI_TRY(write_image_network(*model.network, network));
  const std::size_t classes = model.classes.size();
  const NetworkWorkshop workshop(shape, classes, pack, std::move(program));
  DPFERMI_ASSIGN(const std::vector<float> features,
                 workshop.features(observer, network, model.network->pictures));
  const std::size_t inputs = features.size() / table.images.size() - classes;
  const PrincipalComponents components{inputs, model.network->components};
  if (components.map.size() % (inputs + 1) != 0) {
    return failed("the model's components are not those of its network; train again");
  }
  const fs::path out = folder.path() / "features.csv";
  ImageSet set;
  set.names = table.images;
  for (const std::uint32_t unit : table.units) set.persons.push_back(table.unit_names[unit]);
  set.y = table.labels.y;
  set.classes = table.labels.classes;
  DPFERMI_TRY(write_feature_table(columns_of(set, schema), features, components, out));
  return out.string();
}

}  // namespace dpfermi::vision
