#pragma once

/// The file that leaves the place where s lives: noisy sums, what they are sums of, which data they
/// belong to, and the privacy statement. Anyone who holds (x, y) can train fair models from it, and
/// nothing about s is in it but those sums. Laid out as model files are, with a JSON header that
/// people can read; written in one step, checked before it is used.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/shared_encoding.h"
#include "artifact/trained_model.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "sketch/sketch.h"

namespace dpfermi {

/// A holder's rows in a sketch whose encoding was fixed beforehand.
struct SketchPart {
  std::string data;  ///< as in StoredSketch
  std::uint64_t rows = 0;
  std::uint32_t units = 0;
  std::string fingerprint;  ///< of its (x, y), encoded, and of who is whose row
  PrivacyCost cost;         ///< of its release
};

struct StoredSketch {
  Sketch sketch;
  std::vector<std::string> columns;  ///< names of the inputs, in their order
  std::string target;
  std::vector<std::string> classes;
  std::vector<std::string> groups;  ///< by the declaration
  Schema protected_part;            ///< how the protected columns are read; nothing else
  std::string join;                 ///< the key of the file that held them; empty: none
  std::string fingerprint;          ///< of (x, y) and of who is whose row
  std::optional<HeldOut> held_out;  ///< rows that are not in it
  std::string data;                 ///< title of the data set, or the name of a file
  std::string library_version;
  /// Where it was fixed beforehand; nothing: it was fitted to the rows.
  std::optional<SharedEncoding> encoding;
  std::vector<SketchPart> parts;  ///< with an encoding: whose rows, in their order; else empty
};

/// A digest of what of `data` is public: x, y and which rows belong together; s is not read.
Result<std::string> public_fingerprint(const Dataset& data,
                                       const std::vector<std::string>& columns);

/// Of how `table` was read what concerns its protected columns: the domain, as it was settled.
Schema protected_part(const Table& table);

/// Puts that in the place of what `schema` says about them.
void set_protected_part(const Schema& part, Schema& schema);

/// Refuses data of other columns or classes, and other rows, than the sketch was made of: of
/// several parts, those of all, one part after the other.
Status check_same_data(const StoredSketch& stored, const Dataset& data,
                       const std::vector<std::string>& columns,
                       const std::vector<std::string>& classes);

Result<std::string> encode_sketch(const StoredSketch& stored);
/// `origin` names the file in messages.
Result<StoredSketch> decode_sketch(std::string_view bytes, const std::string& origin);

Status write_sketch(const StoredSketch& stored, const std::filesystem::path& path);
Result<StoredSketch> read_sketch(const std::filesystem::path& path);

/// Whether the file begins as a sketch does.
bool looks_like_sketch(const std::filesystem::path& path);

/// What it is, what it permits and what it promises, for people.
std::string describe_card(const StoredSketch& stored);

/// The header, as JSON.
Result<std::string> header_to_json(const StoredSketch& stored);

}  // namespace dpfermi
