#pragma once

/// From images to a table: a network is trained on the labels of the training images, and what it
/// says about every image (its last layer of channels, averaged over pixels, and the log of its
/// probabilities) becomes the features of a row. All of it is made of images and labels, which are
/// public under adjacency `sensitive`; the protected columns are not read here, and training goes
/// on as on any table.

#include <cstdint>
#include <string>

#include "cli.h"
#include "prepared_data.h"
#include "table_options.h"

namespace dpfermi::cli {

class ImageOptions {
 public:
  void add_to(CLI::App& verb);

  /// Whether a network was asked for.
  bool given() const { return !model_.empty(); }

  /// Packs the images, trains the network and computes features, each unless it is there already,
  /// in the folder --work (`otherwise` where none was named). Returns the table of features.
  Result<TableChoice> embed(const Context& context, const TableChoice& images,
                            const SplitChoice& split, const std::string& otherwise) const;

 private:
  std::string model_, images_, column_, work_, device_ = "cpu", precision_ = "float32";
  std::uint32_t side_ = 128, epochs_ = 12, batch_ = 64;
  double rate_ = 1e-3;
  std::uint64_t seed_ = 1;
  unsigned threads_ = 2;
};

}  // namespace dpfermi::cli
