#pragma once

/// How every holder of a part of the people turns rows into numbers: fixed beforehand and public,
/// so that the sums of one holder's sketch can be added to those of another. It is made of a public
/// table, or of (x, y), which are public under adjacency `sensitive`; s is not read for it.

#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/data/schema.h"
#include "preprocess/pipeline.h"

namespace dpfermi {

struct SharedEncoding {
  Schema schema;         ///< as a model's, with the declared groups and the id column
  Pipeline pipeline;     ///< centres, scales, categories
  double clip_norm = 0;  ///< R of the feature map (sketch/feature_map.h)
  double kappa = 0;
};

/// The encoding file: a JSON text that parse_encoding reads back exactly. Unknown keys are refused.
Result<std::string> to_json(const SharedEncoding& encoding);
/// `origin` names the file in messages.
Result<SharedEncoding> parse_encoding(const std::string& json, const std::string& origin);

}  // namespace dpfermi
