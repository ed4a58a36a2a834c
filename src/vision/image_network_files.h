#pragma once

/// The files that the tool exchanges with dpfermi-deep, through the code that both share
/// (vision/network_files.h), with errors as values.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "artifact/trained_model.h"

namespace dpfermi::vision {

/// Numbers as they lie in memory.
Result<std::vector<float>> read_numbers(const std::filesystem::path& path);
Status write_numbers(const std::filesystem::path& path, std::span<const float> values);
Status write_numbers(const std::filesystem::path& path, std::span<const std::uint16_t> values);

/// Between the files of networks and what a model keeps. The file does not know what its network
/// looks like: `architecture` and `side` say it. A model leaves the house: what the caller stamped
/// the file with, a checksum of images and labels in their order, stays behind.
Result<ImageNetwork> read_image_network(const std::filesystem::path& path,
                                        const std::string& architecture, std::uint32_t side);
Status write_image_network(const ImageNetwork& network, const std::filesystem::path& path);

}  // namespace dpfermi::vision
