#include "workflow/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "artifact/model_file.h"
#include "artifact/sketch_file.h"
#include "core/text.h"

namespace dpfermi {
namespace fs = std::filesystem;

namespace {

/// What open(2) and write(2) say, or 0. Permissions alone do not tell: not of root, not of full
/// disks, not of file systems that hold no files.
int try_writing(int file, std::size_t bytes) {
  if (file < 0) return errno;
  const std::vector<char> block(bytes);
  const int reason = ::write(file, block.data(), bytes) < 0 ? errno : 0;
  ::close(file);
  return reason;
}

/// Nothing is sent to a pipe or a device before there is something to send.
int try_special(const std::string& path) {
  std::error_code error;
  // Opening a pipe without a reader would wait for one.
  if (fs::is_fifo(path, error)) return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  return try_writing(::open(path.c_str(), O_WRONLY | O_CLOEXEC), 0);
}

/// As much as a small model takes, in a file that is gone at once.
int try_folder(const fs::path& folder) {
  constexpr std::size_t kBytes = 65'536;
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (unnamed >= 0 || errno != EOPNOTSUPP) return try_writing(unnamed, kBytes);
  std::string named = (folder / ".dpfermi-XXXXXX").string();
  const int file = ::mkstemp(named.data());
  if (file >= 0) ::unlink(named.c_str());
  return try_writing(file, kBytes);
}

/// Whatever the spelling, and whether they are there or not.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) ||
         fs::absolute(a, error).lexically_normal() == fs::absolute(b, error).lexically_normal();
}

/// Whether the file is a ledger, which is an SQLite database, or the key beside one.
bool keeps_budgets(const fs::path& path) {
  const bool key = path.extension() == ".key" || path.extension() == ".signing-key";
  const fs::path database = key ? fs::path(path).replace_extension() : path;
  std::error_code error;
  if (!fs::is_regular_file(database, error)) return false;
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string start(kMagic.size(), '\0');
  std::ifstream in(database, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == kMagic;
}

}  // namespace

Status check_writable(const std::string& path, const std::string& field,
                      std::span<const std::string> inputs) {
  std::error_code error;
  for (const std::string& input : inputs) {
    if (same_file(path, input)) {
      return usage_error(fmt::format(
          "`{}` {}: would overwrite another file of this command; name a new one", field, path));
    }
  }
  if (keeps_budgets(path)) {
    return usage_error(
        fmt::format("`{}` {}: is a ledger or its key; name a new file", field, path));
  }
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) {
    return failed(fmt::format("`{}` {}: is a folder; name a file inside it", field, path));
  }
  const bool special = fs::exists(there) && !fs::is_regular_file(there);
  const fs::path parent = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!special && !fs::exists(parent, error)) {
    return failed(
        fmt::format("`{}` {}: there is no folder {}; make it first", field, path, parent.string()));
  }
  const int reason = special ? try_special(path) : try_folder(parent);
  if (reason != 0) {
    return failed(fmt::format("`{}` {}: cannot write there ({}); choose another place", field, path,
                              std::strerror(reason)));
  }
  return {};
}

Status check_not_paid_for(const std::string& path, const std::string& field) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::optional<LedgerPlace> place;
  if (looks_like_sketch(path)) {
    if (const auto sketch = read_sketch(path)) place = sketch->sketch.statement.recorded;
  } else if (const auto model = read_model(path)) {
    place = model->privacy.recorded;
  }
  if (!place) return {};
  return usage_error(fmt::format(
      "`{}` {}: holds what run {} was charged for; name another file, or overwrite it with `force`",
      field, path, printable(place->run_id)));
}

}  // namespace dpfermi
