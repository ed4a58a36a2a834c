// Any bytes are an archive or an error, never a crash; a member is read the same way twice, and an
// error is one line.

#include <cstdint>
#include <cstdlib>

#include "data/zip_archive.h"
#include "fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const dpfermi::fuzz::MemoryFile file(data, size);
  const auto archive = dpfermi::ZipArchive::open(file.path());
  if (!archive) return 0;
  for (const std::string& name : archive->names()) {
    const auto member = archive->read(name);
    const auto again = archive->read(name);
    if (member.has_value() != again.has_value()) std::abort();
    if (member && *member != *again) std::abort();
    if (!member && member.error().message.find('\n') != std::string::npos) std::abort();
    if (member && !archive->contains(name)) std::abort();
  }
  return 0;
}
