#include "preprocess/picture.h"

#include <gtest/gtest.h>

#include <random>

namespace dpfermi {
namespace {

std::vector<std::uint8_t> random_image(std::size_t side, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> image(side * side * 3);
  for (std::uint8_t& byte : image) byte = static_cast<std::uint8_t>(random() >> 24U);
  return image;
}

std::vector<float> picture(const std::vector<std::uint8_t>& image, std::uint32_t side) {
  std::vector<float> out;
  append_picture(image, side, out);
  return out;
}

TEST(Picture, HasTheMeansOfBoxesAndOfTheirMirrorImages) {
  constexpr std::uint32_t kSide = 32;
  const std::vector<std::uint8_t> image = random_image(kSide, 1);
  const std::vector<float> got = picture(image, kSide);
  ASSERT_EQ(got.size(), 16U * 8 * 3);
  const auto pixel = [&](std::size_t i, std::size_t j, std::size_t colour) {
    return static_cast<double>(image[(i * kSide + j) * 3 + colour]);
  };
  // Box (5, 3) is pixels 10 and 11 by 6 and 7; its counterpart's columns are 25 and 24.
  for (std::size_t colour = 0; colour < 3; ++colour) {
    double sum = 0;
    for (const std::size_t i : {10, 11}) {
      for (const std::size_t j : {6, 7, 24, 25}) sum += pixel(i, j, colour);
    }
    EXPECT_NEAR(got[(5 * 8 + 3) * 3 + colour], sum / 8 / 255, 1e-6);
  }
}

TEST(Picture, IsThatOfTheMirrorImage) {
  for (const std::uint32_t side : {5U, 16U, 37U, 128U}) {
    const std::vector<std::uint8_t> image = random_image(side, side);
    std::vector<std::uint8_t> mirrored(image.size());
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t j = 0; j < side; ++j) {
        for (std::size_t colour = 0; colour < 3; ++colour) {
          mirrored[(i * side + j) * 3 + colour] = image[(i * side + side - 1 - j) * 3 + colour];
        }
      }
    }
    const std::vector<float> got = picture(image, side);
    EXPECT_EQ(got.size(), picture_size(side));
    EXPECT_EQ(got, picture(mirrored, side));
  }
}

TEST(Picture, StaysBetweenBlackAndWhite) {
  for (const int byte : {0, 255}) {
    const std::vector<std::uint8_t> image(20 * 20 * 3, static_cast<std::uint8_t>(byte));
    for (const float value : picture(image, 20)) EXPECT_EQ(value, byte == 0 ? 0.0F : 1.0F);
  }
}

}  // namespace
}  // namespace dpfermi
