#pragma once

#include <vector>

#include "sketch/feature_map.h"

namespace dpfermi {

/// The coordinates e of every row (rows x spec.extra). Those of labels have mean square one each,
/// like a column of x; the others together that of all of x: neither drowns the other in noise.
/// Sets spec.extra where the map decides it.
Result<std::vector<float>> extra_features(const Dataset& data, FeatureMapSpec& spec,
                                          const FeatureModel* model);

}  // namespace dpfermi
