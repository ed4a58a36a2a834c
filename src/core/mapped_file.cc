#include "core/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/file.h"

namespace dpfermi {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  const bool known = file >= 0 && ::fstat(file, &about) == 0;
  const auto size = static_cast<std::size_t>(known ? about.st_size : 0);
  void* const mapped =
      size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  const std::string reason = known && size == 0 ? "is empty" : std::strerror(errno);
  if (file >= 0) ::close(file);
  if (mapped == MAP_FAILED) return failed(fmt::format("{}: {}", path.string(), reason));
  MappedFile opened;
  opened.size_ = size;
  opened.bytes_ = {static_cast<const std::byte*>(mapped), [size](const std::byte* bytes) {
                     ::munmap(const_cast<std::byte*>(bytes), size);
                   }};
  return opened;
}

}  // namespace dpfermi
