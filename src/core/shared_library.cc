#include "core/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/text.h"

namespace dpfermi {

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    if (void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return SharedLibrary(name, handle);
    }
    if (const char* const said = ::dlerror(); said != nullptr && reason.empty()) reason = said;
  }
  return failed(printable(reason, 300));
}

Result<void*> SharedLibrary::find_address(const char* name) const {
  if (void* const address = ::dlsym(handle_, name)) return address;
  return failed(fmt::format("{}: has no function {}; install a newer version", name_, name));
}

}  // namespace dpfermi
