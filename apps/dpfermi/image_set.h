#pragma once

/// The images of a run and what is public about them.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli.h"
#include "dpfermi/image/principal_components.h"
#include "prepared_data.h"
#include "table_options.h"

namespace dpfermi::cli {

struct ImageSet {
  std::filesystem::path source;             ///< folder or zip file
  std::vector<std::string> names, persons;  ///< of each image; persons: empty where nobody asked
  std::vector<std::uint16_t> y;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> train;  ///< the rows that are trained on
};

/// Refuses a choice that is not one of labelled images under adjacency `sensitive`.
Status check_images(const TableChoice& choice);

/// One image per original, and the split of these. The protected columns are not read.
Result<ImageSet> read_image_set(const TableChoice& choice, const SplitChoice& split);

/// The images `names` as a pack, unless `path` is one already. Returns the SHA-256 of its pixels.
Result<std::string> pack_image_set(const Context& context, const std::filesystem::path& source,
                                   const std::vector<std::string>& names, std::uint32_t side,
                                   unsigned threads, const std::filesystem::path& path);

/// One number of 16 bits per image: its class, or 65535 where it is not trained on.
std::vector<std::uint16_t> training_labels(const ImageSet& images);

/// A column of a table of features.
struct TextColumn {
  std::string name;
  std::vector<std::string> values;
};

/// One line per image: the given columns, then what a network says about it (channels and then log
/// F, rows x width): component1 ... of the channels and log_probability1 ... .
Status write_feature_table(const std::vector<TextColumn>& columns, std::span<const float> features,
                           const PrincipalComponents& components,
                           const std::filesystem::path& path);

}  // namespace dpfermi::cli
