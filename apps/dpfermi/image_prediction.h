#pragma once

/// New images for a model that was trained on images: its own network turns them into features.

#include <string>

#include "cli.h"
#include "dpfermi/artifact/trained_model.h"
#include "scratch_folder.h"
#include "table_options.h"

namespace dpfermi::cli {

/// How the labels of images are read for a model: its persons and its target, the latter in the
/// classes of training.
Schema label_schema(const TrainedModel& model, const std::string& id);

/// Refuses a table of features of another network than the model's, as far as its name tells.
Status check_feature_table(const TrainedModel& model, const std::vector<std::string>& files);

/// A table that could not be read, for a model of images, may be one that only names them.
Result<Table> or_ask_for_images(Result<Table> table, const TrainedModel& model);

class PredictionImages {
 public:
  void add_to(CLI::App& verb);

  bool given() const { return !images_.empty(); }
  const std::string& column() const { return column_; }
  const std::string& source() const { return images_; }

  /// A table, in `folder`, of what the model's network says about the images that are named in the
  /// column of `names`; one line each, that column in front, then persons and classes if `schema`
  /// names columns of them.
  Result<std::string> embed(const Context& context, const TrainedModel& model,
                            const TableOptions& names, const ScratchFolder& folder,
                            Schema schema = {}) const;

 private:
  std::string images_, column_ = "file", device_ = "cpu", precision_ = "float32";
  unsigned workers_ = 0;
};

}  // namespace dpfermi::cli
