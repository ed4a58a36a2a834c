#include "preprocess/picture.h"

#include <algorithm>

namespace dpfermi {
namespace {

constexpr std::size_t kColours = 3;

std::size_t boxes_of(std::size_t side) {
  return std::min<std::size_t>(side, 16);
}
std::size_t half_of(std::size_t boxes) {
  return (boxes + 1) / 2;
}

}  // namespace

std::size_t picture_size(std::uint32_t side) {
  return kColours * boxes_of(side) * half_of(boxes_of(side));
}

void append_picture(std::span<const std::uint8_t> image, std::uint32_t side,
                    std::vector<float>& out) {
  const std::size_t n = side;
  const std::size_t boxes = boxes_of(n);
  const auto edge = [&](std::size_t box) { return box * n / boxes; };
  for (std::size_t a = 0; a < boxes; ++a) {
    for (std::size_t b = 0; b < half_of(boxes); ++b) {
      for (std::size_t colour = 0; colour < kColours; ++colour) {
        std::uint64_t sum = 0;
        for (std::size_t i = edge(a); i < edge(a + 1); ++i) {
          const auto row = image.subspan(i * n * kColours, n * kColours);
          for (std::size_t j = edge(b); j < edge(b + 1); ++j) {
            sum += std::uint64_t{row[j * kColours + colour]} + row[(n - 1 - j) * kColours + colour];
          }
        }
        const std::size_t pixels = 2 * (edge(a + 1) - edge(a)) * (edge(b + 1) - edge(b));
        out.push_back(
            static_cast<float>(static_cast<double>(sum) / (255.0 * static_cast<double>(pixels))));
      }
    }
  }
}

}  // namespace dpfermi
