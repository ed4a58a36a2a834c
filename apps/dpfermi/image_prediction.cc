#include "image_prediction.h"

#include <fmt/format.h>

#include "component.h"
#include "deep_files.h"
#include "dpfermi/core/text.h"
#include "image_network.h"
#include "image_set.h"
#include "kept_files.h"

namespace dpfermi::cli {
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
  error.message += "; the model is of images: --images says where they are";
  return tl::unexpected(std::move(error));
}

void PredictionImages::add_to(CLI::App& verb) {
  const std::string where = "Images (with the optional component dpfermi-deep; docs/deep.md)";
  verb.add_option("--images", images_, "Folder or zip file of JPEGs, for a model of images")
      ->group(where);
  verb.add_option("--image-column", column_, "The column of their names")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--device", device_, "cpu or gpu")->capture_default_str()->group(where);
  verb.add_option("--precision", precision_, "float32, tf32 or bf16")
      ->capture_default_str()
      ->group(where);
  add_workers(verb, workers_, where);
}

Result<std::string> PredictionImages::embed(const Context& context, const TrainedModel& model,
                                            const TableOptions& names, const ScratchFolder& folder,
                                            Schema schema) const {
  DPFERMI_ASSIGN(std::string program, find_component());
  schema.image = column_;
  if (schema.id == column_) schema.id.clear();  // it is in front as it is
  DPFERMI_ASSIGN(TableChoice choice, names.resolve_for(schema));
  choice.request.schema.sensitive_file.clear();
  choice.request.schema.join.clear();
  DPFERMI_ASSIGN(const Table table, read_table(choice.request));
  DPFERMI_TRY(check_complete(table));

  const fs::path pack = folder.path() / "images.pack";
  const NetworkShape shape{model.network->architecture, model.network->side, device_, precision_,
                           workers_};
  const ImagePackRequest request{images_, table.images, shape.side};
  DPFERMI_ASSIGN(const std::string origin, pack_origin(request));
  DPFERMI_TRY(pack_image_set(context, request, origin, pack));
  const fs::path network = folder.path() / "network";
  DPFERMI_TRY(write_image_network(*model.network, network));
  const std::size_t classes = model.classes.size();
  const NetworkWorkshop workshop(shape, classes, pack, std::move(program));
  DPFERMI_ASSIGN(const std::vector<float> features,
                 workshop.features(context, network, model.network->pictures));
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

}  // namespace dpfermi::cli
