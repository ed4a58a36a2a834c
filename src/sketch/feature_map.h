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
/// seed; anyone who holds (x, y) computes the same.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/sketch/sketch_request.h"
#include "model/model_spec.h"

namespace dpfermi {

/// A model that was trained on other data, or on these without s.
struct FeatureModel {
  ModelSpec spec;
  std::vector<double> theta;
  std::string digest;  ///< of its file
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
