#include "core/scratch_folder.h"

#include <cstdlib>
#include <string>

namespace dpfermi {
namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code wrong;
  std::string path = (fs::temp_directory_path(wrong) / "dpfermi-XXXXXX").string();
  if (wrong || mkdtemp(path.data()) == nullptr) {
    return failed("no folder for temporary files can be made; set $TMPDIR to one with free space");
  }
  return ScratchFolder(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace dpfermi
