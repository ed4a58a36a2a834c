#pragma once

/// Networks on packed images, in the hands of dpfermi-deep.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dpfermi/core/observer.h"
#include "optimize/training.h"
#include "vision/component_network.h"

namespace dpfermi::vision {

/// How passes over the images are made; the rate falls to zero along half a cosine.
struct NetworkSchedule {
  std::uint32_t epochs = 30;
  std::uint32_t batch = 64;
  double rate = 5e-4;  ///< of Adam at the start
  double decay = 0.2;  ///< of the parameters, times the rate
  std::uint64_t seed = 1;
};

struct NetworkShape {
  std::string model;  ///< vgg9 or small
  std::uint32_t side = 128;
  std::string device = "cpu", precision = "float32";
  unsigned workers = 0;  ///< threads that share the images on a CPU; 0: one a processor
};

/// Where training starts: at the network of a file or, without one, at random.
struct NetworkStart {
  std::filesystem::path file;
  std::uint64_t seed = 1;
};

/// A pack of images and the program that works on it.
class NetworkWorkshop {
 public:
  /// `program`: dpfermi-deep, as find_component has it.
  NetworkWorkshop(NetworkShape shape, std::size_t classes, std::filesystem::path pack,
                  std::string program)
      : shape_(std::move(shape)),
        classes_(classes),
        pack_(std::move(pack)),
        program_(std::move(program)) {}

  /// Trains a network on the images that `labels` give a class, goes on where `network` was left,
  /// or does nothing where it is finished. `more`: further words for dpfermi-deep.
  Status train(Observer& observer, const std::filesystem::path& labels,
               const NetworkSchedule& schedule, const std::filesystem::path& network,
               const std::vector<std::string>& more = {}) const;

  /// What can be said about every image of the pack: the network's channels, the image's picture
  /// (preprocess/picture.h) if `pictures`, the network's log F.
  Result<std::vector<float>> features(Observer& observer, const std::filesystem::path& network,
                                      bool pictures) const;

  /// A network beside its images, for training from the tool: that in a file, or one that is drawn
  /// from a seed. Row i of the training data is image rows[i].
  Result<deep::ComponentNetwork> serve(const std::filesystem::path& labels,
                                       const NetworkStart& start,
                                       std::vector<std::uint32_t> rows) const;

  /// What the rules of a plan need to know of a network that is drawn from `seed`: on 64 images of
  /// random bytes, the same for every pack.
  Result<NetworkScale> measure_start(std::uint64_t seed) const;

  std::size_t classes() const { return classes_; }

 private:
  Status run(Observer& observer, const std::string& verb, std::vector<std::string> words) const;
  /// The verb, its words, and those that say what pack this is.
  std::vector<std::string> words_of(const std::string& verb, std::vector<std::string> words) const;

  NetworkShape shape_;
  std::size_t classes_;
  std::filesystem::path pack_;
  std::string program_;
};

}  // namespace dpfermi::vision
