// Any bytes are a schema, a descriptor or an error; what is accepted reads back from its own JSON.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto schema = dpfermi::parse_schema(text, "fuzz")) {
    const std::string json = dpfermi::to_json(*schema);
    const auto again = dpfermi::parse_schema(json, "fuzz");
    if (!again || dpfermi::to_json(*again) != json) std::abort();
  }
  static_cast<void>(dpfermi::parse_descriptor(text, "fuzz"));
  return 0;
}
