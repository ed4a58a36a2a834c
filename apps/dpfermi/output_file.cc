#include "output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace dpfermi::cli {
namespace fs = std::filesystem;

Status check_writable(const std::string& path, const std::string& flag,
                      std::span<const std::string> inputs) {
  std::error_code error;
  for (const std::string& input : inputs) {
    if (path == input || fs::equivalent(path, input, error)) {
      return usage_error(fmt::format(
          "{} {}: would overwrite another file of this command; name a new one", flag, path));
    }
  }
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) {
    return failed(fmt::format("{} {}: is a folder; name a file inside it", flag, path));
  }
  const bool special = fs::exists(there) && !fs::is_regular_file(there);
  const fs::path parent = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  const fs::path asked = special ? fs::path(path) : parent;
  if (!fs::exists(asked, error)) {
    return failed(
        fmt::format("{} {}: there is no folder {}; make it first", flag, path, parent.string()));
  }
  if (::access(asked.c_str(), W_OK) != 0) {
    return failed(fmt::format("{} {}: cannot write there ({}); choose another place", flag, path,
                              std::strerror(errno)));
  }
  return {};
}

}  // namespace dpfermi::cli
