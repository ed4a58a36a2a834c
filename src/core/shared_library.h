#pragma once

/// A library of others that is loaded when it is first needed: a program that never needs it runs
/// without it.

#include <string>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class SharedLibrary {
 public:
  /// Loads the first of `names` that can be; a name without a slash is looked for where the system
  /// keeps libraries. It stays loaded until the process ends.
  static Result<SharedLibrary> open(const std::vector<std::string>& names);

  /// Sets `function` to the library's function of this name.
  template <class Function>
  Status find(const char* name, Function*& function) const {
    DPFERMI_ASSIGN(void* const address, find_address(name));
    function = reinterpret_cast<Function*>(address);
    return {};
  }

 private:
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  Result<void*> find_address(const char* name) const;

  std::string name_;
  void* handle_;
};

}  // namespace dpfermi
