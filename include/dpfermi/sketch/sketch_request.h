#pragma once

/// What a user may choose about a private fairness sketch (docs/sketch.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

/// What is summed up: the encoded row x, and perhaps more coordinates (sketch/feature_map.h).
enum class FeatureKind {
  kEncoded,       ///< x alone
  kLabel,         ///< and y, a standardised coordinate for each class but the first
  kInteractions,  ///< and the products of two columns that vary most
  kFourier,       ///< and random Fourier features
  kModel,         ///< and the last hidden layer of a public model, or its scores
};
std::string_view to_string(FeatureKind kind);  ///< "encoded", "label", "interactions", ...
Result<FeatureKind> parse_feature_kind(std::string_view text);

/// Which map: all that a sketch has to say about it.
struct FeatureMapSpec {
  FeatureKind kind = FeatureKind::kEncoded;
  std::size_t extra = 0;     ///< coordinates of e
  std::uint64_t seed = 1;    ///< of the Fourier features; public
  double clip_norm = 0;      ///< R; 0: the root mean square of |[x, e]|
  double kappa = 0;          ///< 0: R / 4
  std::string model_digest;  ///< of the model's file, where it is one

  bool operator==(const FeatureMapSpec&) const = default;
};

struct SketchRequest {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 1;
  std::optional<double> delta;  ///< 1/n^2
  std::size_t rounds = 0;       ///< of residual queries, fixed beforehand
  double round_share = 0.2;     ///< their share of the budget, in terms of mu^2
};

}  // namespace dpfermi
