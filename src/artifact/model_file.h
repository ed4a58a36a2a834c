#pragma once

/// The model file, version 1:
///
///   dpfermi-model 1 HEADER_BYTES\n
///   a JSON header that people can read, HEADER_BYTES long\n
///   the parameters, then those of its network and the components of its channels, where there is
///   one, 32-bit IEEE floats, little-endian\n
///   sha256 64 hexadecimal digits\n
///
/// The digest is of everything before the line break in front of it (head -c -73 FILE | sha256sum).
/// It finds damage, not forgery.

#include <filesystem>
#include <string>
#include <string_view>

#include "artifact/trained_model.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// Writes the file in one step; refuses a model that could not be read back.
Status write_model(const TrainedModel& model, const std::filesystem::path& path);

/// Refuses whatever is not a whole, undamaged file of a version it knows, with a model that
/// check_model accepts.
Result<TrainedModel> read_model(const std::filesystem::path& path);

/// Whether the file begins as a model file does.
bool looks_like_model(const std::filesystem::path& path);

/// The JSON header: everything but the parameters; their number is there.
Result<std::string> header_to_json(const TrainedModel& model);

/// SHA-256, in hexadecimal, of what the model computes and promises: the header and the numbers of
/// its file, without the library version. The training record counts, the name of the data
/// included. Two runs that end in the same model have the same digest, whichever version of the
/// library wrote the file and however its header is laid out. What identifies a run (its id, the
/// ledger head) stays out of the digest. Refuses what check_model refuses.
Result<std::string> model_digest(const TrainedModel& model);

/// The bytes of the file. `origin` names it in messages.
Result<std::string> encode_model(const TrainedModel& model);
Result<TrainedModel> decode_model(std::string_view bytes, const std::string& origin);

}  // namespace dpfermi
