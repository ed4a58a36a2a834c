#pragma once

#include <vector>

#include "dpfermi/sketch/feature_map.h"

namespace dpfermi {

/// The coordinates e of every row (rows x spec.extra), scaled so that their mean square length is
/// that of x: neither drowns the other in noise. Sets spec.extra where the map decides it.
Result<std::vector<float>> extra_features(const HybridMatrix& x, FeatureMapSpec& spec,
                                          const FeatureModel* model);

}  // namespace dpfermi
