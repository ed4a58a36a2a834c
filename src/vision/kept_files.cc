#include "vision/kept_files.h"

#include <fmt/format.h>

#include "core/file.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kDigits = 16;  ///< of a stamp, in a name

fs::path seal_path(const std::vector<fs::path>& files) {
  return files.front().string() + ".seal";
}

Result<std::string> seal_of(const std::string& stamp, const std::vector<fs::path>& files) {
  std::vector<std::string> parts = {stamp};
  for (const fs::path& file : files) {
    DPFERMI_ASSIGN(std::string digest, sha256_of_file(file));
    parts.push_back(std::move(digest));
  }
  return stamp_of(parts);
}

}  // namespace

Status make_private_folder(const fs::path& folder) {
  std::error_code wrong;
  if (fs::create_directories(folder, wrong)) {
    fs::permissions(folder, fs::perms::owner_all, wrong);
  }
  if (!wrong) return {};
  return failed(fmt::format("{}: cannot be made; choose another `work`", folder.string()));
}

Result<std::string> stamp_of(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += fmt::format("{}:{}", part.size(), part);
  return sha256_of_bytes(all);
}

fs::path kept_path(const fs::path& folder, const std::string& kind, const std::string& stamp,
                   const std::string& ending) {
  return folder / fmt::format("{}-{}{}", kind, stamp.substr(0, kDigits), ending);
}

bool is_kept_name(const fs::path& file, const std::string& kind, const std::string& ending) {
  const std::string name = file.filename().string();
  const std::size_t first = kind.size() + 1;
  if (name.size() != first + kDigits + ending.size()) return false;
  const std::string digits = name.substr(first, kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string::npos &&
         name == kept_path("", kind, digits, ending).string();
}

Status seal(const std::string& stamp, const std::vector<fs::path>& files) {
  DPFERMI_ASSIGN(const std::string text, seal_of(stamp, files));
  return write_file_atomically(seal_path(files), text);
}

bool is_sealed(const std::string& stamp, const std::vector<fs::path>& files) {
  const auto kept = read_text_file(seal_path(files));
  if (!kept) return false;
  const auto found = seal_of(stamp, files);
  return found && *found == *kept;
}

}  // namespace dpfermi::vision
