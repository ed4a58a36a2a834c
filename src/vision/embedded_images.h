#pragma once

/// From images to a table: a network is trained on the labels of the training images, and what it
/// says about every image (the first principal components of its last channels, averaged over
/// pixels, and the log of its probabilities) becomes the features of a row, beside components of
/// the image itself. All of it is made of images and labels, which are public under adjacency
/// `sensitive`; the protected columns are not read here, and training goes on as on any table.
///
/// Where records are protected there is no such network and nothing is computed from images: their
/// table holds names, persons and classes, and all parameters are trained from a random start. Only
/// afterwards, by a network that was paid for, does it get features.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "artifact/trained_model.h"
#include "data/table_choice.h"
#include "dpfermi/core/observer.h"
#include "vision/image_set.h"
#include "vision/network_workshop.h"

namespace dpfermi::vision {

/// What a sketch lets anybody believe about the groups of the training images.
struct ImageProxies {
  std::span<const std::uint16_t> y;  ///< of the training rows, in their order
  std::span<const float> proxy;      ///< training rows x groups
  std::size_t groups = 0;
  std::span<const std::uint32_t> condition_by_label;  ///< condition_count: none
  std::size_t condition_count = 1;
  double lambda = 0;
  double tau = 1;  ///< sharpness of predictions inside the fairness term
};

/// What is said about an image in the table, beside the network's log F.
struct FeatureChoice {
  std::size_t components = 0;  ///< of the network's channels
  std::size_t pictures = 0;    ///< of pictures (preprocess/picture.h)
  bool declared = false;       ///< whether log F has a declared range, where images are public too
};

/// What is to be made of images.
struct ImagePlan {
  std::filesystem::path work;  ///< the folder of all that is made
  NetworkShape shape;
  NetworkSchedule training, tuning;  ///< of the public network; after a sketch
  FeatureChoice features;
};

/// Images as a table of features, and the network that made it one.
class EmbeddedImages {
 public:
  /// Images of which nothing was made yet. `program`: dpfermi-deep.
  static Result<EmbeddedImages> create(TableChoice images, ImageSet set, ImagePlan plan,
                                       const std::string& program);

  /// Whether there is a public network and make() would have to train it, or to compute its table:
  /// not all of it lies in `work`.
  Result<bool> awaits_network() const;

  /// Packs the images, trains the public network and computes its table, each unless it is there
  /// already (kept_files.h). Where records are protected, images are packed and listed, and that
  /// is all.
  Status make(Observer& observer);

  /// In words, the public network; empty where there is none.
  std::string to_train() const;

  /// A table in `folder` for plans, before make(): features are synthetic, as many as there will be
  /// (a network with fewer channels than components has fewer), and scaled as encoding scales them.
  Result<TableChoice> stand_in(const std::filesystem::path& folder) const;

  /// The scale of the network that all parameters start from, for plans. Before make() it is that
  /// of a random start.
  Result<NetworkScale> planned_scale() const;

  const TableChoice& table() const { return table_; }
  const ImageNetwork& network() const { return network_; }

  /// Writes the table, unless it is there as it was written.
  Status describe(Observer& observer);

  /// Whether a sketch is to be followed by passes over the images.
  bool tunes() const { return plan_.tuning.epochs > 0; }

  /// Of the pixels, the training labels and the network: what a run on them starts from.
  Result<std::string> digest() const;

  /// The network beside the training images, for training of all its parameters: the public one, or
  /// one drawn from the seed where there is none.
  Result<deep::ComponentNetwork> serve() const {
    return workshop_.serve(labels_, start_, set_.train);
  }

  /// What the rules of a plan need to know of it (optimize/deep_problem.h), at its start: on the
  /// training images where they are public, else on synthetic ones, which are as many for every
  /// data set.
  Result<NetworkScale> scale(deep::ComponentNetwork& network) const;

  /// The same images under a network of the same shape with these parameters; `how` says in a line
  /// how it got them. Its table is that of its softmax, with declared ranges: a model can be made
  /// before describe() has looked at an image.
  Result<EmbeddedImages> with_parameters(std::span<const double> theta,
                                         const std::string& how) const;

  /// The class that the network decides for, of every training image.
  Result<std::vector<std::uint16_t>> decisions(Observer& observer) const;

  /// The same images under a network that was trained further, by loss + lambda psi with the
  /// proxies instead of s: all parameters move, and nothing is spent. Its table is as above.
  Result<EmbeddedImages> tuned(Observer& observer, const ImageProxies& proxies) const;

 private:
  EmbeddedImages(TableChoice images, ImageSet set, ImagePlan plan, NetworkWorkshop workshop)
      : images_(std::move(images)),
        set_(std::move(set)),
        plan_(std::move(plan)),
        workshop_(std::move(workshop)) {}

  bool is_public() const { return features_are_public(images_.request.schema.adjacency); }

  /// How the table of these images in `file` is read, with features of the network if there is one:
  /// protected columns come from the file of the labels.
  TableChoice table_at(const std::filesystem::path& file) const;

  /// Makes the table one without features, under a network that is yet to be trained.
  Status list();

  /// Makes the network in the file `path` that of these images, and names its table.
  Status adopt(const std::filesystem::path& path, FeatureChoice features);

  /// The table and the components that it was made with.
  std::vector<std::filesystem::path> table_files() const;

  /// Writes the table of the network at start_ and returns the components in it.
  Result<std::vector<float>> write_table(Observer& observer,
                                         const std::filesystem::path& table) const;

  /// The stamp of a network that is trained like this from these images, and its place in `work`.
  struct KeptNetwork {
    std::string stamp;
    std::filesystem::path path;
  };
  Result<KeptNetwork> kept_network(const std::string& kind, const NetworkSchedule& schedule,
                                   const std::vector<std::string>& made_of) const;

  /// That network, from `work` or anew. `made_of`: what stands behind the files that `more`,
  /// further words for dpfermi-deep, names.
  Result<std::filesystem::path> trained(Observer& observer, const std::string& kind,
                                        const NetworkSchedule& schedule,
                                        const std::vector<std::string>& more,
                                        const std::vector<std::string>& made_of) const;

  TableChoice images_, table_;
  ImageSet set_;
  ImagePlan plan_;
  NetworkWorkshop workshop_;
  std::string origin_;            ///< of the pack
  std::string pixels_;            ///< SHA-256 of the pack's; empty: there is none yet
  std::filesystem::path labels_;  ///< file of the training labels
  std::string dealt_;             ///< their SHA-256
  NetworkStart start_;            ///< the network
  FeatureChoice features_;
  std::string stamp_;  ///< of the table
  ImageNetwork network_;
  std::string digest_;  ///< of the network, as a model has it; empty: there is none yet
};

}  // namespace dpfermi::vision
