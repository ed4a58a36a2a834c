#pragma once

/// Downloads the files of a data set: resumed after an interruption, unpacked, and kept only if
/// their checksum is the registered one.

#include <filesystem>
#include <string>

#include "cli.h"
#include "data/registry.h"

namespace dpfermi::cli {

/// Brings every missing file of `dataset` into `folder`. With a mirror, files (or the archives that
/// hold them) are taken from MIRROR/<last part of their address> instead.
Status fetch_dataset(const DatasetDescriptor& dataset, const std::filesystem::path& folder,
                     const std::string& mirror, const Context& context);

}  // namespace dpfermi::cli
