#include "vision/image_network_files.h"

#include <algorithm>
#include <type_traits>

#include "vision/network_files.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;
namespace {

template <class F>
Result<std::invoke_result_t<F>> caught(F&& function) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      function();
      return {};
    } else {
      return function();
    }
  } catch (const deep::Failure& failure) {
    return failed(failure.what());
  }
}

}  // namespace

Result<std::vector<float>> read_numbers(const fs::path& path) {
  return caught([&] { return deep::read_floats(path.string()); });
}

Status write_numbers(const fs::path& path, std::span<const float> values) {
  return caught([&] { deep::write_floats(path.string(), values); });
}

Status write_numbers(const fs::path& path, std::span<const std::uint16_t> values) {
  return caught([&] { deep::write_labels(path.string(), values); });
}

Result<ImageNetwork> read_image_network(const fs::path& path, const std::string& architecture,
                                        std::uint32_t side) {
  DPFERMI_ASSIGN(deep::NetworkFile file, caught([&] { return deep::read_network(path.string()); }));
  file.settings.resize(std::min(file.settings.rfind(deep::kBeforeStamp), file.settings.size()));
  return ImageNetwork{architecture,          side, std::move(file.settings), file.epochs,
                      std::move(file.theta), {}};
}

Status write_image_network(const ImageNetwork& network, const fs::path& path) {
  return caught([&] {
    deep::write_network(path.string(), {network.settings, network.epochs, network.theta});
  });
}

}  // namespace dpfermi::vision
