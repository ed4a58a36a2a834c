#pragma once

/// The images of a run and what is public about them.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/table_choice.h"
#include "dpfermi/core/observer.h"
#include "vision/image_pack.h"
#include "vision/principal_components.h"

namespace dpfermi::vision {

struct ImageSet {
  std::filesystem::path source;             ///< folder or zip file
  std::vector<std::string> names, persons;  ///< of each image; persons: empty unless asked for
  std::vector<std::uint16_t> y;
  std::vector<std::string> classes;
  std::vector<double> bins;  ///< upper ends of the classes, where they are bands of a number
  std::vector<std::uint32_t> train;  ///< the rows that are trained on
};

/// Refuses a choice that is not one of labelled images, and, where records are protected, whatever
/// would be computed from them without noise: a public network, rows held out.
Status check_images(const TableChoice& choice, const SplitChoice& split, bool whole_network);

/// One image per original, and the split of these. The protected columns are not read.
///
/// Where records are protected, whether an image is included must not depend on any other record:
/// the unit is the row or, with an id, the person; each has one image, the first that is listed,
/// and no person is left out. Copies of an image are then as many units as have it.
Result<ImageSet> read_image_set(const TableChoice& choice, const SplitChoice& split);

/// The SHA-256 of the pixels of the pack at `path`, if it is one of this origin; else nothing.
std::string pixels_of_pack(const std::filesystem::path& path, const std::string& origin);

/// The images as a pack at `path`. Returns the SHA-256 of its pixels.
Result<std::string> pack_image_set(Observer& observer, const ImagePackRequest& images,
                                   const std::string& origin, const std::filesystem::path& path);

/// One number of 16 bits per image: its class, or 65535 where it is not trained on.
std::vector<std::uint16_t> training_labels(const ImageSet& images);

/// Protected columns of a table of features come from the file that names the images, by their
/// names, unless the schema has another file of them.
void take_groups_from(const std::string& labels, const std::string& image_column, Schema& schema);

/// A column of a table of features.
struct TextColumn {
  std::string name;
  std::vector<std::string> values;
};

/// The names, persons and classes of images, as far as `schema` has names for them.
std::vector<TextColumn> columns_of(const ImageSet& images, const Schema& schema);

/// One line per image: the given columns, then what is said about it (the inputs of `components`,
/// then log F; rows x width): component1 ... and log_probability1 ... .
Status write_feature_table(const std::vector<TextColumn>& columns, std::span<const float> features,
                           const PrincipalComponents& components,
                           const std::filesystem::path& path);

}  // namespace dpfermi::vision
