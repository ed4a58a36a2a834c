#pragma once

/// What a run on images leaves in `work` for the next one. A file is named after its stamp, the
/// SHA-256 of everything it is made from, so that none is taken for another. The seal of a file,
/// which is written last, says whether it is still what was written. Tables of features are named
/// in model files, which leave the house, so their names are of the network alone: the stamp, which
/// covers names, labels and pixels, is in their seal.

#include <filesystem>
#include <string>
#include <vector>

#include "data/checksum.h"
#include "dpfermi/core/result.h"

namespace dpfermi::vision {

/// Of all parts in their order; {"a", "bc"} and {"ab", "c"} have different ones.
Result<std::string> stamp_of(const std::vector<std::string>& parts);

/// SHA-256 of numbers as they lie in memory.
template <class T>
Result<std::string> digest_of(const std::vector<T>& values) {
  return sha256_of_bytes({reinterpret_cast<const char*>(values.data()), sizeof(T) * values.size()});
}

/// A folder that the owner alone may look into, unless it is there already: images may be
/// protected, wherever they are copied to.
Status make_private_folder(const std::filesystem::path& folder);

/// A name in `folder` for what has this stamp: KIND-0123456789abcdefENDING.
std::filesystem::path kept_path(const std::filesystem::path& folder, const std::string& kind,
                                const std::string& stamp, const std::string& ending);

/// The kind of a table of features.
inline constexpr const char* kFeatureTable = "features";

/// Whether a file has a name that kept_path gives this kind.
bool is_kept_name(const std::filesystem::path& file, const std::string& kind,
                  const std::string& ending);

/// Seals files that were made together, beside the first of them.
Status seal(const std::string& stamp, const std::vector<std::filesystem::path>& files);

/// Whether these files were sealed with this stamp and have not changed since.
bool is_sealed(const std::string& stamp, const std::vector<std::filesystem::path>& files);

}  // namespace dpfermi::vision
