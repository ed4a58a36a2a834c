#include "vision/network_workshop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/file.h"
#include "core/scratch_folder.h"
#include "optimize/deep_problem.h"
#include "preprocess/picture.h"
#include "vision/component.h"
#include "vision/image_network_files.h"
#include "vision/image_pack.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;
namespace {

/// The picture of every image between its channels and its log F.
std::vector<float> with_pictures(const ImagePack& pack, std::span<const float> said,
                                 std::size_t classes) {
  const std::size_t width = said.size() / pack.count();
  std::vector<float> all;
  all.reserve(said.size() + pack.count() * picture_size(pack.side()));
  for (std::size_t i = 0; i < pack.count(); ++i) {
    const std::span<const float> own = said.subspan(i * width, width);
    const auto log_f = own.end() - static_cast<std::ptrdiff_t>(classes);
    all.insert(all.end(), own.begin(), log_f);
    append_picture(pack.image(i), pack.side(), all);
    all.insert(all.end(), log_f, own.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> NetworkWorkshop::words_of(const std::string& verb,
                                                   std::vector<std::string> words) const {
  words.insert(words.begin(), verb);
  for (const std::string& word :
       {std::string("--images"), pack_.string(), std::string("--model"), shape_.model,
        std::string("--side"), std::to_string(shape_.side), std::string("--classes"),
        std::to_string(classes_), std::string("--device"), shape_.device,
        std::string("--precision"), shape_.precision, std::string("--workers"),
        std::to_string(shape_.workers)}) {
    words.push_back(word);
  }
  return words;
}

Status NetworkWorkshop::run(Observer& observer, const std::string& verb,
                            std::vector<std::string> words) const {
  return run_component(observer, program_, words_of(verb, std::move(words)));
}

Result<deep::ComponentNetwork> NetworkWorkshop::serve(const fs::path& labels,
                                                      const NetworkStart& start,
                                                      std::vector<std::uint32_t> rows) const {
  std::vector<std::string> words = {"--labels", labels.string(), "--seed",
                                    std::to_string(start.seed)};
  if (!start.file.empty()) words.insert(words.end(), {"--network", start.file.string()});
  return deep::ComponentNetwork::start(program_, words_of("serve", std::move(words)),
                                       std::move(rows));
}

Result<NetworkScale> NetworkWorkshop::measure_start(std::uint64_t seed) const {
  constexpr std::size_t kImages = 64;
  DPFERMI_ASSIGN(const ScratchFolder folder, ScratchFolder::create());
  const fs::path pack = folder.path() / "images.pack";
  const fs::path labels = folder.path() / "labels.u16";
  std::mt19937_64 random(1);
  // dpfermi-deep does not look at the header.
  std::string bytes(kImagePackHeader + kImages * 3 * shape_.side * shape_.side, '\0');
  for (std::size_t i = kImagePackHeader; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(random() >> 56);
  }
  DPFERMI_TRY(write_file_atomically(pack, bytes));
  std::vector<std::uint16_t> y(kImages);
  for (std::size_t i = 0; i < kImages; ++i) y[i] = static_cast<std::uint16_t>(i % classes_);
  DPFERMI_TRY(write_numbers(labels, y));
  const NetworkWorkshop invented(shape_, classes_, pack, program_);
  DPFERMI_ASSIGN(deep::ComponentNetwork network,
                 invented.serve(labels, {.file = {}, .seed = seed}, {}));
  return measure_network(network, y);
}

Status NetworkWorkshop::train(Observer& observer, const fs::path& labels,
                              const NetworkSchedule& schedule, const fs::path& network,
                              const std::vector<std::string>& more) const {
  std::vector<std::string> words = {"--labels", labels.string(),
                                    "--epochs", std::to_string(schedule.epochs),
                                    "--batch",  std::to_string(schedule.batch),
                                    "--chunk",  std::to_string(schedule.batch),
                                    "--rate",   fmt::format("{}", schedule.rate),
                                    "--decay",  fmt::format("{}", schedule.decay),
                                    "--seed",   std::to_string(schedule.seed),
                                    "--out",    network.string()};
  words.insert(words.end(), more.begin(), more.end());
  return run(observer, "train", std::move(words));
}

Result<std::vector<float>> NetworkWorkshop::features(Observer& observer, const fs::path& network,
                                                     bool pictures) const {
  // Runs may share a folder.
  const fs::path raw = fmt::format("{}.{}.f32", network.string(), getpid());
  DPFERMI_TRY(run(observer, "features", {"--network", network.string(), "--out", raw.string()}));
  DPFERMI_ASSIGN(std::vector<float> values, read_numbers(raw));
  std::error_code ignored;
  fs::remove(raw, ignored);
  const std::size_t images = (fs::file_size(pack_, ignored) - kImagePackHeader) /
                             (std::size_t{3} * shape_.side * shape_.side);
  const bool whole = !values.empty() && values.size() % images == 0 &&
                     values.size() / images > classes_ &&
                     std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  if (!whole) {
    return failed(
        fmt::format("{} does not say the same things, in finite numbers, about every "
                    "image; train the network again with a smaller step size",
                    program_));
  }
  if (!pictures) return values;
  DPFERMI_ASSIGN(const ImagePack pack, ImagePack::open(pack_));
  return with_pictures(pack, values, classes_);
}

}  // namespace dpfermi::vision
