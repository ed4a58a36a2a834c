// JPEG files, a folder of them, and the pack that is made of it.

#include "vision/image_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
// jpeglib.h needs this before it.
#include <cstdio>
//
#include <jpeglib.h>

#include <cstdlib>
#include <fstream>

#include "core/file.h"
#include "data/registry.h"
#include "temp_folder.h"
#include "vision/distinct.h"
#include "vision/jpeg.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Colour = std::array<std::uint8_t, 3>;

/// A JPEG file whose left half has one colour and whose right half another.
std::string jpeg_of(unsigned width, unsigned height, Colour left, Colour right) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  std::vector<std::uint8_t> row;
  for (unsigned x = 0; x < width; ++x) {
    const Colour& colour = x < width / 2 ? left : right;
    row.insert(row.end(), colour.begin(), colour.end());
  }
  for (unsigned y = 0; y < height; ++y) {
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return file;
}

constexpr Colour kRed{220, 30, 40};
constexpr Colour kBlue{20, 60, 200};

std::string error_of(const std::string& bytes, std::uint32_t side) {
  std::vector<std::uint8_t> pixels(std::size_t{3} * side * side);
  const Status status = decode_jpeg(bytes, "face.jpg", side, pixels);
  return status ? "" : status.error().message;
}

TEST(Jpeg, ColoursAndPlacesSurviveAtFullAndAtHalfSize) {
  const std::string file = jpeg_of(64, 64, kRed, kBlue);
  for (const std::uint32_t side : {64U, 32U}) {
    std::vector<std::uint8_t> pixels(std::size_t{3} * side * side);
    ASSERT_TRUE(decode_jpeg(file, "face.jpg", side, pixels));
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t left = (side / 2 * side + side / 8) * 3 + c;
      const std::size_t right = (side / 2 * side + side - side / 8) * 3 + c;
      EXPECT_NEAR(pixels[left], kRed[c], 4);
      EXPECT_NEAR(pixels[right], kBlue[c], 4);
    }
  }
}

TEST(Jpeg, SaysWhatIsWrongWithAFile) {
  const std::string file = jpeg_of(64, 64, kRed, kBlue);
  EXPECT_THAT(error_of(file.substr(0, file.size() / 2), 64), HasSubstr("not a whole JPEG"));
  EXPECT_THAT(error_of("not an image at all", 64), HasSubstr("face.jpg"));
  EXPECT_THAT(error_of("", 64), HasSubstr("not a whole JPEG"));
  EXPECT_THAT(error_of(jpeg_of(64, 48, kRed, kBlue), 64), HasSubstr("64 x 48"));
  EXPECT_THAT(error_of(file, 30), HasSubstr("30 x 30 cannot be made"));
  EXPECT_THAT(error_of(file, 128), HasSubstr("128 x 128 cannot be made"));
  for (const std::uint32_t side : {30U, 64U, 128U}) {
    EXPECT_THAT(error_of("", side), testing::Not(HasSubstr("\n")));
  }
}

class Pack : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "faces");
    for (int i = 0; i < 150; ++i) {
      const std::string name = std::to_string(i) + ".jpg";
      const auto shade = static_cast<std::uint8_t>(i);
      write("faces/" + name, jpeg_of(32, 32, {shade, 0, 0}, {0, shade, 99}));
      request_.names.push_back(name);
    }
    request_.source = folder_ / "faces";
    request_.side = 32;
    pack_ = folder_ / "faces.pack";
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  Result<std::string> pack(Workers* workers) const {
    return pack_images(request_, pack_origin(request_).value(), pack_, workers);
  }
  std::string open_error() const {
    const auto pack = ImagePack::open(pack_);
    return pack ? "" : pack.error().message;
  }

  test::TempFolder folder_;
  fs::path pack_;
  ImagePackRequest request_;
};

TEST_F(Pack, HoldsEveryImageInOrderWhateverTheThreads) {
  Workers three(3);
  ASSERT_TRUE(pack(&three));
  const std::string bytes = read_text_file(pack_).value();
  const auto checksum = pack(nullptr);
  ASSERT_TRUE(checksum);
  EXPECT_EQ(read_text_file(pack_).value(), bytes);

  const ImagePack pack = ImagePack::open(pack_).value();
  ASSERT_EQ(pack.count(), 150U);
  EXPECT_EQ(pack.side(), 32U);
  EXPECT_EQ(pack.origin(), pack_origin(request_).value());
  EXPECT_EQ(pack.checksum(), *checksum);
  std::vector<std::uint8_t> pixels(3 * 32 * 32);
  for (const std::size_t i : {std::size_t{0}, std::size_t{63}, std::size_t{149}}) {
    const std::string file = read_text_file(request_.source / request_.names[i]).value();
    ASSERT_TRUE(decode_jpeg(file, "", 32, pixels));
    EXPECT_TRUE(std::ranges::equal(pixels, pack.image(i))) << i;
  }
}

TEST_F(Pack, OriginDistinguishesOtherImages) {
  const std::string origin = pack_origin(request_).value();
  ImagePackRequest other = request_;
  std::swap(other.names[0], other.names[1]);
  EXPECT_NE(pack_origin(other).value(), origin);
  other = request_;
  other.side = 16;
  EXPECT_NE(pack_origin(other).value(), origin);
  // Another face under the same name, in a folder that does not notice.
  write("faces/3.jpg", jpeg_of(32, 32, {200, 0, 0}, {0, 0, 0}) + " ");
  EXPECT_NE(pack_origin(request_).value(), origin);
}

TEST_F(Pack, ABadFileIsNamedAndLeavesNothingBehind) {
  write("faces/100.jpg", "no image");
  write("faces/120.jpg", "no image");
  Workers two(2);
  const auto status = pack(&two);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("100.jpg"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
  request_.names = {"../secret.jpg"};
  EXPECT_THAT(pack(nullptr).error().message, HasSubstr("outside"));
}

TEST_F(Pack, DamageIsNoticed) {
  ASSERT_TRUE(pack(nullptr));
  const std::string whole = read_text_file(pack_).value();
  std::string bytes = whole;
  bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
  write("faces.pack", bytes);
  EXPECT_THAT(open_error(), HasSubstr("is damaged"));
  write("faces.pack", whole.substr(0, whole.size() - 3072));
  EXPECT_THAT(open_error(), HasSubstr("not whole"));
  write("faces.pack", "something else");
  EXPECT_THAT(open_error(), HasSubstr("not a pack"));
  write("faces.pack", whole);
  EXPECT_EQ(open_error(), "");
}

TEST(DistinctImages, KeepOneRowPerOriginalAndNoneWhereLabelsDisagree) {
  const std::vector<std::uint32_t> originals = {0, 1, 0, 2, 1, 3};
  const std::vector<std::uint16_t> y = {5, 2, 5, 0, 3, 1};
  EXPECT_EQ(distinct_images(originals, y), (std::vector<std::uint32_t>{0, 3, 5}));
  EXPECT_TRUE(distinct_images({}, {}).empty());
  // Where no person may be left out, each has its first row.
  EXPECT_EQ(first_images(originals), (std::vector<std::uint32_t>{0, 1, 3, 5}));
}

TEST_F(Pack, FilesOfTheSameBytesAreOneOriginal) {
  fs::copy_file(folder_ / "faces/7.jpg", folder_ / "faces/copy.jpg");
  const ImageSource source = ImageSource::open(folder_ / "faces").value();
  const std::vector<std::string> names = {"3.jpg", "7.jpg", "3.jpg", "copy.jpg", "9.jpg"};
  EXPECT_EQ(identical_files(source, names).value(), (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
  const std::vector<std::string> absent = {"none.jpg"};
  EXPECT_THAT(identical_files(source, absent).error().message, HasSubstr("none.jpg"));
}

TEST(KnownFaces, UtkfaceIsReadFromItsZipFile) {
  std::vector<fs::path> folders = data_folders("");
  folders.emplace_back(fs::path(DPFERMI_SOURCE_DIR) / "../shared/data");
  const DatasetDescriptor dataset = find_dataset("utkface").value();
  const auto folder = locate_dataset(dataset, folders);
  if (!folder) GTEST_SKIP() << folder.error().message;
  const DatasetVariant variant = dataset.variant("").value();
  const Table table = read_table(table_request(variant, *folder)).value();
  const std::vector<std::uint32_t> rows = distinct_images(table.units, table.labels.y);
  EXPECT_EQ(rows.size(), 23'197U);
  ImagePackRequest request{*folder / variant.images, {}, 64};
  for (std::size_t i = 0; i < 64; ++i) request.names.push_back(table.images[rows[i]]);
  const test::TempFolder scratch;
  const fs::path pack = scratch / "faces.pack";
  EXPECT_TRUE(pack_images(request, pack_origin(request).value(), pack, nullptr));
  EXPECT_EQ(ImagePack::open(pack).value().count(), 64U);
}

}  // namespace
}  // namespace dpfermi
