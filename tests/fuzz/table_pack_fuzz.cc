// Any bytes are a pack or an error, never a crash; every input of a pack's rows can be read. The
// checksum keeps random changes out, so the input is also sealed: what stands before its first zero
// byte becomes the header, what follows the arrays.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "artifact/table_pack.h"
#include "data/checksum.h"
#include "fuzz/memory_file.h"

namespace {

using namespace dpfermi;

void read_all(const Dataset& data) {
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t j = 0; j < data.x.columns(); ++j) {
      if (!(data.x.at(i, j) == data.x.at(i, j))) std::abort();
    }
    if (data.y[i] >= data.classes || data.units[i] >= data.unit_count) std::abort();
  }
}

void check(const std::string& bytes) {
  const fuzz::MemoryFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto pack = open_pack(file.path());
  if (!pack) {
    if (pack.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  read_all(pack->train);
  if (pack->test) read_all(*pack->test);
}

std::string sealed(const std::string& text) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t end = std::min(text.find('\0'), text.size());
  std::string header = text.substr(0, end);
  std::string bytes;
  do {
    bytes = "dpfermi-pack 1 " + std::to_string(header.size()) + "\n" + header + "\n";
    header += ' ';
  } while (bytes.size() % kAlignment != 0);
  if (end < text.size()) bytes += text.substr(end + 1);
  return bytes + "\nsha256 " + sha256_of_bytes(bytes).value() + "\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(sealed(text));
  return 0;
}
