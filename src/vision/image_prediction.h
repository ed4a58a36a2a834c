#pragma once

/// New images for a model that was trained on images: its own network turns them into features.

#include <string>

#include "artifact/trained_model.h"
#include "core/scratch_folder.h"
#include "data/table_choice.h"
#include "dpfermi/core/observer.h"

namespace dpfermi::vision {

/// How the labels of images are read for a model: its persons and its target, the latter in the
/// classes of training.
Schema label_schema(const TrainedModel& model, const std::string& id);

/// Refuses a table of features of another network than the model's, as far as its name shows.
Status check_feature_table(const TrainedModel& model, const std::vector<std::string>& files);

/// A table that could not be read, for a model of images, may be one that only names them.
Result<Table> or_ask_for_images(Result<Table> table, const TrainedModel& model);

/// Where new images are, and what looks at them.
struct PredictionImages {
  std::string images;  ///< folder or zip file; empty: there are none
  std::string column = "file";
  std::string device = "cpu", precision = "float32";
  unsigned workers = 0;

  bool given() const { return !images.empty(); }

  /// A table, in `folder`, of what the model's network says about the images that are named in
  /// `column` of `names`; one line each, that column in front, then persons and classes if `schema`
  /// names columns of them.
  Result<std::string> embed(Observer& observer, const TrainedModel& model, const TableChoice& names,
                            const ScratchFolder& folder, Schema schema = {}) const;
};

}  // namespace dpfermi::vision
