// Any bytes are a pack of images or an error, never a crash; every pixel of a pack can be read. The
// checksum keeps random changes out, so the input is also sealed: two bytes choose the side and how
// many images the header claims, the next ones are origin and whatever else a header may hold, the
// rest are pixels.

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

#include "data/checksum.h"
#include "fuzz/memory_file.h"
#include "vision/image_pack.h"

namespace {

using namespace dpfermi;

void check(const std::string& bytes) {
  const fuzz::MemoryFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto pack = ImagePack::open(file.path());
  if (!pack) {
    if (pack.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const std::size_t each = std::size_t{3} * pack->side() * pack->side();
  if (pack->count() * each + kImagePackHeader != bytes.size()) std::abort();
  unsigned sum = 0;
  for (std::size_t i = 0; i < pack->count(); ++i) {
    const auto image = pack->image(i);
    if (image.size() != each) std::abort();
    sum = std::accumulate(image.begin(), image.end(), sum);
  }
  if (sum > 255 * bytes.size()) std::abort();
}

std::string sealed(const std::string& text) {
  constexpr std::size_t kOrigin = 66;
  const auto side = static_cast<unsigned char>(text[0]);
  const auto count = static_cast<unsigned char>(text[1]);
  const std::string pixels = text.substr(std::min(text.size(), kOrigin));
  std::string header = "dpfermi-images 1\n" + std::to_string(side) + " " + std::to_string(count) +
                       "\n" + text.substr(2, kOrigin - 2) + "\n" + sha256_of_bytes(pixels).value() +
                       "\n";
  header.resize(kImagePackHeader, ' ');
  return header + pixels;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  if (size >= 2) check(sealed(text));
  return 0;
}
