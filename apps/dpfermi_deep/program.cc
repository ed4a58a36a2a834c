// dpfermi-deep: networks on images, on behalf of the tool (dpfermi train --model vgg9). It sees
// images and labels, and proxies of s once they are released; of s itself, in `serve` alone, the
// groups of the members of a sum, which goes to the tool's Privatizer.
//
//   dpfermi-deep train     --images PACK --labels U16 --out NETWORK [--from NETWORK]
//                          [--proxies F32 --groups K --lambda L [--conditions U16 --condition-count
//                          M]] [--stamp WORD]
//   dpfermi-deep features  --images PACK --network NETWORK --out F32
//   dpfermi-deep predict   --images PACK --network NETWORK --out F32
//   dpfermi-deep serve     --images PACK --labels U16 [--network NETWORK]
//
// Files of numbers are as in memory, one line of numbers per image. Label 65535: not for training.
// The stamp stands for what the caller made its files from; settings with another one are others.
// On a CPU --workers threads share the images (0: one a processor); no number depends on them.

#include "program.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <numeric>
#include <optional>

#include "serve.h"
#include "training.h"
#include "vision/network_files.h"

namespace dpfermi::deep {
namespace {

constexpr std::uint16_t kHeldOut = 65535;
constexpr std::size_t kPackHeader = 256;  ///< as vision/image_pack.h writes it

class Flags {
 public:
  Flags(int count, char** words) {
    for (int i = 2; i < count; i += 2) {
      const std::string name = words[i];
      if (!name.starts_with("--") || i + 1 == count) {
        throw Failure("'" + name + "' is not understood; flags are --name value");
      }
      values_[name.substr(2)] = words[i + 1];
    }
  }
  std::string text(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  std::string needed(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Failure("--" + name + " is required; give it");
    return found->second;
  }
  double number(const std::string& name, double otherwise) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    if (end == found->second.c_str() || *end != '\0' || !(value >= 0 && value <= 4e9)) {
      throw Failure("--" + name + " takes a number from 0, not '" + found->second + "'");
    }
    return value;
  }
  std::uint32_t whole(const std::string& name, std::uint32_t otherwise) const {
    return static_cast<std::uint32_t>(number(name, otherwise));
  }

 private:
  std::map<std::string, std::string> values_;
};

ModelOptions model_options(const Flags& flags) {
  ModelOptions options;
  const std::string place = flags.text("device", "cpu");
  if (place != "cpu" && place != "gpu") {
    throw Failure("unknown device '" + place + "': use cpu or gpu");
  }
  options.place = place == "gpu" ? Place::kGpu : Place::kCpu;
  const std::string precision = flags.text("precision", "float32");
  if (precision != "float32" && precision != "tf32" && precision != "bf16") {
    throw Failure("unknown precision '" + precision + "': use float32, tf32 or bf16");
  }
  options.precision = precision == "bf16"   ? Precision::kBfloat16
                      : precision == "tf32" ? Precision::kTf32
                                            : Precision::kFloat32;
  options.side = flags.whole("side", 128);
  options.classes = flags.whole("classes", 9);
  options.chunk = flags.whole("chunk", 64);
  options.seed = flags.whole("seed", 1);
  options.workers = flags.whole("workers", 0);
  return options;
}

DeepModel make_model(const Flags& flags, const Networks& networks, const ModelOptions& options) {
  const std::string name = flags.text("model", "vgg9");
  const auto known = networks.find(name);
  if (known == networks.end()) {
    std::string names;
    for (const auto& [other, make] : networks) names += (names.empty() ? "" : ", ") + other;
    throw Failure("unknown model '" + name + "': choose one of " + names);
  }
  auto made = known->second(options);
  if (const auto* problem = std::get_if<Problem>(&made)) throw Failure(problem->message);
  return std::get<DeepModel>(std::move(made));
}

/// How many images of this size the pack holds.
std::size_t image_count(const MappedFile& pack, const Flags& flags, const ModelOptions& options) {
  const std::size_t image = std::size_t{3} * options.side * options.side;
  const std::size_t size = pack.bytes().size();
  if (image == 0 || size <= kPackHeader || (size - kPackHeader) % image != 0) {
    throw Failure(flags.text("images") + ": is not a pack of images of " +
                  std::to_string(options.side) + " x " + std::to_string(options.side) +
                  "; pack them at this size");
  }
  return (size - kPackHeader) / image;
}

/// The images beside the model, which copies them.
void load_images(const MappedFile& pack, std::vector<std::uint16_t> labels, DeepModel& model) {
  for (std::uint16_t& y : labels) {
    if (y == kHeldOut) y = 0;
  }
  must(model.load(pack.bytes().subspan(kPackHeader), labels));
}

void show(const Pace& pace, std::uint32_t epochs) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::fprintf(stderr, "%sepoch %u of %u, %.0f %%, %.0f images/s, loss %.4f, %.0f s left%s",
               terminal ? "\r" : "", pace.epoch, epochs, 100 * pace.share, pace.images_per_second,
               pace.loss, pace.seconds_left, terminal ? "  " : "\n");
}

/// What decides about the outcome; a run goes on from a file of equal settings.
std::string settings_line(const Flags& flags, const ModelOptions& options,
                          const TrainingSettings& settings, std::size_t rows) {
  std::array<char, 256> numbers{};
  std::snprintf(
      numbers.data(), numbers.size(),
      " side %u classes %u rows %zu batch %u rate %g decay %g epochs %u seed %llu lambda %g"
      " tau %g",
      options.side, options.classes, rows, settings.batch, settings.rate, settings.decay,
      settings.epochs, static_cast<unsigned long long>(settings.seed), settings.lambda,
      settings.tau);
  const std::string stamp = flags.text("stamp");
  return flags.text("model", "vgg9") + numbers.data() + (stamp.empty() ? "" : kBeforeStamp + stamp);
}

std::optional<NetworkFile> unfinished(const std::string& path, const std::string& settings) {
  if (access(path.c_str(), F_OK) != 0) return std::nullopt;
  NetworkFile found = read_network(path);
  if (found.settings != settings) {
    throw Failure(path + ": holds a network of other settings (" + found.settings +
                  "); remove it, or write to another file");
  }
  return found;
}

void run_training(const Flags& flags, const Networks& networks) {
  ModelOptions options = model_options(flags);
  options.timed = true;
  TrainingSettings settings;
  settings.epochs = flags.whole("epochs", settings.epochs);
  settings.batch = std::max(1U, flags.whole("batch", settings.batch));
  settings.rate = flags.number("rate", settings.rate);
  settings.decay = flags.number("decay", settings.decay);
  settings.seed = options.seed;
  settings.lambda = flags.number("lambda", 0);
  settings.tau = flags.number("sharpness", 1);

  const std::string out = flags.needed("out");
  const MappedFile pack(flags.needed("images"));
  const std::size_t count = image_count(pack, flags, options);
  const std::vector<std::uint16_t> labels = read_labels(flags.needed("labels"), count);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (labels[i] != kHeldOut) rows.push_back(i);
  }
  if (rows.empty()) throw Failure("no image is for training; check the labels");

  DeepModel model = make_model(flags, networks, options);
  load_images(pack, labels, model);
  const std::string line = settings_line(flags, options, settings, rows.size());
  std::uint32_t first = 0;
  if (const auto before = unfinished(out, line)) {
    must(model.set_parameters(before->theta));
    first = before->epochs;
  } else if (const std::string from = flags.text("from"); !from.empty()) {
    must(model.set_parameters(read_network(from).theta));
  }

  const std::size_t groups = flags.whole("groups", 0);
  std::vector<float> proxies;
  std::vector<std::uint16_t> conditions(count);
  std::optional<ProxyPenalty> penalty;
  if (groups > 0) {
    proxies = read_floats(flags.needed("proxies"), count * groups);
    const std::string by = flags.text("conditions");
    if (!by.empty()) conditions = read_labels(by, count);
    penalty.emplace(proxies, groups, options.classes, conditions,
                    flags.whole("condition-count", 1));
  }
  TrainingHooks hooks;
  hooks.progress = [&](const Pace& pace) { show(pace, settings.epochs); };
  hooks.epoch_ended = [&](std::uint32_t epochs) {
    NetworkFile network{line, epochs, std::vector<float>(model.parameters())};
    must(model.copy_parameters(network.theta));
    write_network(out, network);
  };
  train(model, rows, labels, options.classes, penalty ? &*penalty : nullptr, settings, first,
        hooks);
}

void run_forward(const Flags& flags, const Networks& networks, bool features) {
  const ModelOptions options = model_options(flags);
  const std::string out = flags.needed("out");
  const NetworkFile network = read_network(flags.needed("network"));
  const MappedFile pack(flags.needed("images"));
  const std::size_t count = image_count(pack, flags, options);
  DeepModel model = make_model(flags, networks, options);
  must(model.set_parameters(network.theta));
  load_images(pack, std::vector<std::uint16_t>(count), model);
  std::vector<std::uint32_t> members(count);
  std::iota(members.begin(), members.end(), 0U);
  std::vector<float> values;
  if (features) {
    must(model.features(members, values));
  } else {
    values.resize(count * options.classes);
    must(model.probabilities(members, values));
  }
  write_floats(out, values);
}

/// The network, or one drawn from the seed, stays beside its images and answers.
void run_server(const Flags& flags, const Networks& networks) {
  const ModelOptions options = model_options(flags);
  const MappedFile pack(flags.needed("images"));
  const std::size_t count = image_count(pack, flags, options);
  DeepModel model = make_model(flags, networks, options);
  load_images(pack, read_labels(flags.needed("labels"), count), model);
  if (const std::string from = flags.text("network"); !from.empty()) {
    must(model.set_parameters(read_network(from).theta));
  }
  serve(model, count, options.classes);
}

void run(int count, char** words, const Networks& networks) {
  const std::string verb = count > 1 ? words[1] : "";
  const Flags flags(count, words);
  if (verb == "train") {
    run_training(flags, networks);
  } else if (verb == "features" || verb == "predict") {
    run_forward(flags, networks, verb == "features");
  } else if (verb == "serve") {
    run_server(flags, networks);
  } else {
    throw Failure("'" + verb + "' is not a verb; use train, features, predict or serve");
  }
}

}  // namespace

Networks known_networks() {
  const auto of = [](Architecture architecture) {
    return [architecture](ModelOptions options) {
      options.architecture = architecture;
      return DeepModel::create(options);
    };
  };
  return {{"vgg9", of(Architecture::kVgg9)}, {"small", of(Architecture::kSmall)}};
}

int run_program(int count, char** words, const Networks& networks) {
  try {
    run(count, words, networks);
    return 0;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "dpfermi-deep: %s\n", failure.what());
  } catch (const std::bad_alloc&) {
    std::fputs("dpfermi-deep: out of memory; use smaller images or fewer of them\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dpfermi-deep: internal error: %s\n", error.what());
  }
  return 1;
}

}  // namespace dpfermi::deep
