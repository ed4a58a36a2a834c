#pragma once

/// The built-in descriptors, embedded at build time from src/data/registry/*.json.

#include <span>
#include <string_view>

namespace dpfermi {

struct RegistryText {
  std::string_view name;
  std::string_view json;
};

std::span<const RegistryText> registry_texts();

}  // namespace dpfermi
