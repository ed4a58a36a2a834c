#pragma once

/// A folder for the files of one test: no other process has it, and it vanishes with the object.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace dpfermi::test {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dpfermi-test-XXXXXX").string();
    // Without a folder there is nothing to test: temporary files would land in the current one.
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dpfermi::test
