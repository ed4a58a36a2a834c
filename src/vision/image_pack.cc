#include "vision/image_pack.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <sstream>

#include "core/file.h"
#include "data/checksum.h"
#include "vision/image_source.h"
#include "vision/jpeg.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMagic = "dpfermi-images 1";
/// Images per task of a worker.
constexpr std::size_t kTask = 64;
constexpr std::uint32_t kLargestSide = 4096;

std::size_t image_bytes(std::uint32_t side) {
  return std::size_t{3} * side * side;
}

std::string header(std::uint32_t side, std::size_t count, const std::string& origin,
                   const std::string& pixels) {
  std::string text = fmt::format("{}\n{} {}\n{}\n{}\n", kMagic, side, count, origin, pixels);
  text.resize(kImagePackHeader, ' ');
  return text;
}

/// Decodes images [first, last) into their places.
Status decode_range(const ImagePackRequest& request, const ImageSource& source, std::size_t first,
                    std::size_t last, std::span<std::uint8_t> pixels) {
  const std::size_t size = image_bytes(request.side);
  for (std::size_t i = first; i < last; ++i) {
    DPFERMI_ASSIGN(const std::string bytes, source.read(request.names[i]));
    DPFERMI_TRY(decode_jpeg(bytes, request.names[i], request.side, pixels.subspan(i * size, size)));
  }
  return {};
}

Result<std::vector<std::uint8_t>> decode_all(
    const ImagePackRequest& request, Workers* workers,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::size_t count = request.names.size();
  const unsigned threads = workers == nullptr ? 1 : workers->count();
  std::vector<ImageSource> sources;  // a zip file's handle belongs to one thread
  for (unsigned i = 0; i < threads; ++i) {
    DPFERMI_ASSIGN(ImageSource source, ImageSource::open(request.source));
    sources.push_back(std::move(source));
  }
  std::vector<std::uint8_t> pixels(count * image_bytes(request.side));
  const std::size_t tasks = (count + kTask - 1) / kTask;
  std::vector<Status> outcomes(tasks);
  run_tasks(workers, tasks, [&](std::size_t task, unsigned worker) {
    const std::size_t last = std::min(count, (task + 1) * kTask);
    outcomes[task] = decode_range(request, sources[worker], task * kTask, last, pixels);
    if (progress && worker == 0) progress(last, count);
  });
  for (const Status& outcome : outcomes) DPFERMI_TRY(outcome);
  return pixels;
}

/// Size and time of a file; nothing of one that is not there, which packing will report.
std::string age_of(const fs::path& path) {
  std::error_code wrong;
  const auto size = fs::file_size(path, wrong);
  const auto time = fs::last_write_time(path, wrong);
  return wrong ? "" : fmt::format("{} {}", size, time.time_since_epoch().count());
}

}  // namespace

Result<std::string> pack_origin(const ImagePackRequest& request) {
  if (!fs::exists(request.source)) {
    return failed(
        fmt::format("{}: no such file or folder; check the path", request.source.string()));
  }
  // A folder does not change when a file in it does: there every file counts.
  const bool folder = fs::is_directory(request.source);
  std::string text = fmt::format("{} {}\n", request.side, folder ? "" : age_of(request.source));
  for (const std::string& name : request.names) {
    text += fmt::format("{} {}\n", name, folder ? age_of(request.source / name) : "");
  }
  return sha256_of_bytes(text);
}

Result<std::string> pack_images(const ImagePackRequest& request, const std::string& origin,
                                const fs::path& path, Workers* workers,
                                const std::function<void(std::size_t, std::size_t)>& progress) {
  if (request.names.empty() || request.side == 0 || request.side > kLargestSide) {
    return usage_error(
        fmt::format("a pack needs images of 1 to {} pixels a side; check both", kLargestSide));
  }
  DPFERMI_ASSIGN(const std::vector<std::uint8_t> pixels, decode_all(request, workers, progress));
  const std::string_view bytes(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  DPFERMI_ASSIGN(std::string checksum, sha256_of_bytes(bytes));
  DPFERMI_TRY(write_file_atomically(path, [&](std::ostream& out) -> Status {
    out << header(request.side, request.names.size(), origin, checksum) << bytes;
    return {};
  }));
  return checksum;
}

Result<ImagePack> ImagePack::open(const fs::path& path) {
  ImagePack pack;
  DPFERMI_ASSIGN(pack.file_, MappedFile::open(path));
  const auto unusable = [&](const char* why) {
    return failed(fmt::format("{}: {}; remove it and pack the images again", path.string(), why));
  };
  const std::string_view bytes = pack.file_.bytes();
  if (bytes.size() <= kImagePackHeader) return unusable("is not a pack of images");
  std::istringstream in(std::string(bytes.substr(0, kImagePackHeader)));
  std::string magic;
  std::getline(in, magic);
  in >> pack.side_ >> pack.count_ >> pack.origin_ >> pack.checksum_;
  if (!in || magic != kMagic || pack.side_ == 0 || pack.side_ > kLargestSide) {
    return unusable("is not a pack of images");
  }
  const std::size_t each = image_bytes(pack.side_);
  const std::size_t pixels = bytes.size() - kImagePackHeader;
  if (pixels % each != 0 || pixels / each != pack.count_) {
    return unusable("is not whole");
  }
  DPFERMI_ASSIGN(const std::string found, sha256_of_bytes(bytes.substr(kImagePackHeader)));
  if (found != pack.checksum_) return unusable("is damaged");
  return pack;
}

std::span<const std::uint8_t> ImagePack::image(std::size_t i) const {
  const std::size_t each = image_bytes(side_);
  const auto* const pixels = reinterpret_cast<const std::uint8_t*>(file_.bytes().data());
  return {pixels + kImagePackHeader + i * each, each};
}

}  // namespace dpfermi
