#pragma once

/// Sketches of several holders as one: the sums of disjoint rows add up, and so do the variances of
/// their noise. docs/proofs/merged-sketches.md says what the sum promises.

#include <vector>

#include "artifact/sketch_file.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// Whether a person may be in more than one part.
enum class PartPeople {
  kDisjoint,     ///< no person is, as the merging party declares: costs are the largest of a part
  kOverlapping,  ///< a person may be: costs add up
};

/// The sketch of all rows, part after part. Every part must have been made with the same encoding,
/// notion and groups; the same rows twice are refused.
Result<StoredSketch> merge_sketches(const std::vector<StoredSketch>& parts, PartPeople people);

}  // namespace dpfermi
