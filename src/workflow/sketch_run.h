#pragma once

/// One private release of a fairness sketch: load, plan, charge, release, write, commit.

#include <cstdint>
#include <optional>
#include <string>

#include "artifact/shared_encoding.h"
#include "core/team.h"
#include "workflow/load.h"
#include "workflow/run_outcome.h"
#include "workflow/sketch_features.h"
#include "workflow/spending.h"

namespace dpfermi {

struct SketchJob {
  TableChoice choice;
  SplitChoice split{0.0};
  SketchRequest request;
  SketchFeatureChoice features;
  /// What columns mean and how they are encoded, fixed beforehand; nothing: by `choice` and its
  /// rows.
  std::optional<SharedEncoding> encoding;
  std::optional<std::uint64_t> seed;  ///< reproducible noise; nothing: secret
  SpendingChoice spending;
  std::string out;              ///< the sketch file; empty: none is written
  Team* team = &Team::alone();  ///< the processes that run this job together
};

/// Whatever can fail for public causes does so before the charge. `loaded`: the table, where it was
/// read before; null: the run reads it.
Result<SketchOutcome> run_sketch(const SketchJob& job, const PreparedData* loaded = nullptr);

/// An encoding for `job.encoding` of every holder, made of the rows of a public table. Protected
/// columns are not read, and may be absent.
Result<SharedEncoding> make_encoding(const TableChoice& choice);

}  // namespace dpfermi
