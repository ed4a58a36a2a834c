#pragma once

/// The checkpoint file, version 1: laid out as the model file (artifact/model_file.h), with 64-bit
/// numbers. It holds what a run needs to go on after a crash: the plan, where the solver stands,
/// and where the ledger stood. Nothing in it is secret; a key is never written.
///
///   dpfermi-checkpoint 1 HEADER_BYTES\n
///   a JSON header\n
///   theta, w, kept iterates, shares, marginals, table: 64-bit IEEE floats, little-endian\n
///   sha256 64 hexadecimal digits\n

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "optimize/training.h"

namespace dpfermi {

struct Checkpoint {
  TrainingCheckpoint training;
  std::optional<std::uint64_t> seed;  ///< of reproducible noise; nothing: it is secret
  std::string setup;                  ///< SHA-256 of what the caller must have alike to go on
  std::optional<LedgerPlace> ledger;  ///< nothing: the run is not recorded on disk
};

/// Writes the file in one step.
Status write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// Refuses whatever is not a whole, undamaged file of a version it knows, and a state that does not
/// fit its plan.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& path);

/// The bytes of the file. `origin` names it in messages.
Result<std::string> encode_checkpoint(const Checkpoint& checkpoint);
Result<Checkpoint> decode_checkpoint(std::string_view bytes, const std::string& origin);

}  // namespace dpfermi
