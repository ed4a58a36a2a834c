#include "vision/jpeg.h"

// jpeglib.h needs these two before it.
#include <cstddef>
#include <cstdio>
//
#include <fmt/format.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>

namespace dpfermi {
namespace {

/// libjpeg reports by jumping out of its code: between setjmp and the jump no object with a
/// destructor may live.
struct Trap {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> reason{};
};

[[noreturn]] void jump_out(j_common_ptr info) {
  auto* trap = reinterpret_cast<Trap*>(info->err);
  trap->manager.format_message(info, trap->reason.data());
  std::longjmp(trap->back, 1);
}

/// Damage that libjpeg would paint over.
void on_message(j_common_ptr info, int level) {
  if (level < 0) jump_out(info);
}

enum class Outcome { kDone, kDamaged, kNotSquare, kNoSuchSide };

/// The number of eighths that brings `from` pixels to `to`; 0: there is none.
unsigned eighths(unsigned from, unsigned to) {
  const unsigned wanted = from == 0 ? 0 : 8 * to / from;
  return wanted >= 1 && wanted <= 8 && wanted * from == 8 * to ? wanted : 0;
}

Outcome decode(jpeg_decompress_struct& info, Trap& trap, std::string_view bytes, std::uint32_t side,
               std::uint8_t* pixels) {
  if (setjmp(trap.back) != 0) return Outcome::kDamaged;  // NOLINT(cert-err52-cpp)
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  if (info.image_width != info.image_height) return Outcome::kNotSquare;
  info.scale_num = eighths(info.image_width, side);
  info.scale_denom = 8;
  if (info.scale_num == 0) return Outcome::kNoSuchSide;
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + std::size_t{3} * side * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return Outcome::kDone;
}

}  // namespace

Status decode_jpeg(std::string_view bytes, const std::string& name, std::uint32_t side,
                   std::span<std::uint8_t> pixels) {
  jpeg_decompress_struct info{};
  Trap trap{};
  info.err = jpeg_std_error(&trap.manager);
  trap.manager.error_exit = jump_out;
  trap.manager.emit_message = on_message;
  const Outcome outcome = decode(info, trap, bytes, side, pixels.data());
  const unsigned width = info.image_width;
  const unsigned height = info.image_height;
  jpeg_destroy_decompress(&info);
  switch (outcome) {
    case Outcome::kDone:
      return {};
    case Outcome::kDamaged:
      return failed(fmt::format("{}: is not a whole JPEG file ({}); replace it or remove its row",
                                name, trap.reason.data()));
    case Outcome::kNotSquare:
      return failed(fmt::format("{}: is {} x {} pixels; crop it to a square", name, width, height));
    case Outcome::kNoSuchSide:
      break;
  }
  return failed(fmt::format(
      "{}: is {} x {} pixels, from which {} x {} cannot be made; resize it or choose another side",
      name, width, height, side, side));
}

}  // namespace dpfermi
