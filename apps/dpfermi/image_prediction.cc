#include "image_prediction.h"

#include <fmt/format.h>

#include <cstdlib>

#include "component.h"
#include "deep_files.h"
#include "image_network.h"
#include "image_set.h"

namespace dpfermi::cli {
namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code wrong;
  std::string path = (fs::temp_directory_path(wrong) / "dpfermi-XXXXXX").string();
  if (wrong || mkdtemp(path.data()) == nullptr) {
    return failed("no folder for temporary files can be made; set $TMPDIR to one with free space");
  }
  return ScratchFolder(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
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
}

Result<std::string> PredictionImages::embed(const Context& context, const TrainedModel& model,
                                            const TableOptions& names,
                                            const ScratchFolder& folder) const {
  DPFERMI_ASSIGN(std::string program, find_component());
  Schema schema;
  schema.image = column_;
  DPFERMI_ASSIGN(const TableChoice choice, names.resolve_for(schema));
  DPFERMI_ASSIGN(const Table table, read_table(choice.request));

  const fs::path pack = folder.path() / "images.pack";
  const NetworkShape shape{model.network->architecture, model.network->side, device_, precision_};
  constexpr unsigned kThreads = 2;
  DPFERMI_TRY(pack_image_set(context, images_, table.images, shape.side, kThreads, pack));
  const fs::path network = folder.path() / "network";
  DPFERMI_TRY(write_image_network(*model.network, network));
  const std::size_t classes = model.classes.size();
  const NetworkWorkshop workshop(shape, classes, pack, std::move(program));
  DPFERMI_ASSIGN(const std::vector<float> features, workshop.features(context, network));
  const std::size_t channels = features.size() / table.images.size() - classes;
  const PrincipalComponents components{channels, model.network->components};
  const fs::path out = folder.path() / "features.csv";
  DPFERMI_TRY(write_feature_table({{column_, table.images}}, features, components, out));
  return out.string();
}

}  // namespace dpfermi::cli
