// Any bytes are a checkpoint or an error, never a crash.

#include "artifact/checkpoint_file.h"
#include "sealed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dpfermi::fuzz::check_input("checkpoint", data, size, dpfermi::decode_checkpoint,
                             dpfermi::encode_checkpoint, [](const auto&) {});
  return 0;
}
