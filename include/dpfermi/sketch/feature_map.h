#pragma once

/// phi, what a sketch sums up: [t [x, e], kappa], a public function of a public row (x, y).
///
///   x      the encoded row
///   e      more coordinates, on request: the row's label, products of two columns, random Fourier
///          features, or the hidden layer (without one: the scores) of a public model
///   t      min(1, R / |[x, e]|), which bounds the length: a row far out counts less
///   kappa  a constant, so that the sums hold the group counts as well
///
/// so that |phi| <= sqrt(R^2 + kappa^2). Everything here follows from public data and from a public
/// seed; whoever holds (x, y) computes the same.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/data/dataset.h"
#include "dpfermi/model/model_spec.h"

namespace dpfermi {

enum class FeatureKind {
  kEncoded,       ///< x alone
  kLabel,         ///< and y, a standardised coordinate for each class but the first
  kInteractions,  ///< and the products of two columns that vary most
  kFourier,       ///< and random Fourier features
  kModel,         ///< and the last hidden layer of a public model, or its scores
};
std::string_view to_string(FeatureKind kind);  ///< "encoded", "label", "interactions", ...
Result<FeatureKind> parse_feature_kind(std::string_view text);

/// A model that was trained on other data, or on these without s.
struct FeatureModel {
  ModelSpec spec;
  std::vector<double> theta;
  std::string digest;  ///< of its file
};

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

class SketchFeatures {
 public:
  static constexpr std::size_t kMostExtra = 4096;

  /// Settles what the spec leaves open. `data` must outlive this object. Refuses a model that does
  /// not take these columns, and more coordinates than memory should hold.
  static Result<SketchFeatures> create(const Dataset& data, FeatureMapSpec spec,
                                       const FeatureModel* model = nullptr);

  const FeatureMapSpec& spec() const { return spec_; }
  const HybridMatrix& x() const { return *x_; }
  std::size_t rows() const { return x_->rows(); }
  std::size_t extra_count() const { return spec_.extra; }

  /// Columns of x, then e, then kappa.
  std::size_t size() const { return x_->columns() + spec_.extra + 1; }
  /// The longest that phi can be.
  double bound() const;

  /// t of a row.
  double factor(std::size_t row) const { return factors_[row]; }
  std::span<const float> extra(std::size_t row) const {
    return std::span(extra_).subspan(row * spec_.extra, spec_.extra);
  }

  /// phi of a row, size() entries.
  void write(std::size_t row, std::span<double> out) const;

 private:
  SketchFeatures() = default;
  void settle_norms();

  const HybridMatrix* x_ = nullptr;
  FeatureMapSpec spec_;
  std::vector<float> extra_;     ///< rows x extra
  std::vector<double> factors_;  ///< rows
};

}  // namespace dpfermi
