#pragma once

/// A convolutional classifier on CPU or GPU and the two halves of a DP-FERMI step on it. Only
/// standard headers here: the component builds where the rest of the library does not.
///
/// A row's part of the objective is loss_weight * CE(outputs, y) + <v, F>, F = softmax(tau
/// outputs), where v is the row's line of a table of functionals (objective/row_gradients.h). Under
/// adjacency `sensitive` the public half has loss_weight 1 and a functional per condition; the
/// secret half has loss_weight 0 and, for group r, (b_r - centre) / R. Under the record adjacencies
/// the secret half is the whole objective and there is no public one.
///
/// The secret half leaves as exact integers: every row's gradient is clipped, brought to the
/// lattice rounding toward zero, and summed in 64 bits, on the GPU as on the CPU. What has to be
/// added to such a sum before anybody sees it is the noise of privacy/mechanism; this component
/// draws none. Requires of the caller: the sum goes to a Privatizer and nowhere else.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace dpfermi::deep {

/// One line that names the culprit and ends with what to do.
struct Problem {
  std::string message;
};

/// Empty: success.
using Outcome = std::optional<Problem>;

enum class Place { kCpu, kGpu };

/// How products are computed. Parameters, clipping and sums do not change: float32, double, int64.
enum class Precision {
  kFloat32,   ///< as it says
  kTf32,      ///< float32 with 10-bit fractions inside products; GPU only
  kBfloat16,  ///< activations and their derivatives in bfloat16
};

enum class Architecture {
  kVgg9,   ///< the paper's: nine 3x3 convolutions, instance norm, one linear layer
  kSmall,  ///< three convolutions, for tests
};

struct ModelOptions {
  Architecture architecture = Architecture::kVgg9;
  std::uint32_t side = 128;  ///< images are side x side x 3
  std::uint32_t classes = 9;
  Place place = Place::kCpu;
  Precision precision = Precision::kFloat32;
  std::uint32_t chunk =
      256;  ///< rows at a time at most: bounds memory, changes no sum beyond rounding
  std::uint64_t seed = 1;  ///< of the starting parameters, which are public
  /// Lets cuDNN choose its algorithms by time. Faster, but which one computes a row then depends on
  /// chance: clipped sums are refused.
  bool timed = false;
  /// Threads that share the rows on a CPU; 0: one a processor. No result depends on their number.
  std::uint32_t workers = 0;
};

/// A picture of an image: as it is (0), mirrored (1), or also moved by up to a sixteenth of its
/// side in both directions, its edge repeated. Of n loaded images, member v n + i is view v of
/// image i.
inline constexpr std::uint32_t kShifts = 9;  ///< in each direction, none among them
inline constexpr std::uint32_t kViews = 2 * kShifts * kShifts;

/// Which rows of the loaded images, and what of each.
struct Rows {
  std::span<const std::uint32_t> members;
  float loss_weight;
  std::span<const float> functionals;    ///< any number of lines x classes
  std::span<const std::uint32_t> which;  ///< the line of each member
  double tau = 1;                        ///< sharpness of F
};

/// Segment theta of a ContributionLayout: entries of norm clip_norm become integers of norm
/// `longest` = share * 2^bits. Requires both positive, longest <= 2^36.
struct Clip {
  double clip_norm;
  double longest;
};

class DeepModel {
 public:
  struct State;

  static std::variant<DeepModel, Problem> create(const ModelOptions& options);

  explicit DeepModel(std::unique_ptr<State> state);
  DeepModel(DeepModel&&) noexcept;
  DeepModel& operator=(DeepModel&&) noexcept;
  DeepModel(const DeepModel&) = delete;
  DeepModel& operator=(const DeepModel&) = delete;
  ~DeepModel();

  std::size_t parameters() const;

  /// Puts n images (n x side x side x 3 bytes) and their labels beside the model.
  Outcome load(std::span<const std::uint8_t> pixels, std::span<const std::uint16_t> labels);

  /// theta in this component's order: by layer the weights (output, row, column, input), then the
  /// biases.
  Outcome copy_parameters(std::span<float> theta) const;
  Outcome set_parameters(std::span<const float> theta);

  /// F of each member, members x classes.
  Outcome probabilities(std::span<const std::uint32_t> members, std::span<float> f);

  /// What the network says about each image, in `values`: its last layer of channels, each averaged
  /// over its pixels, and log F; members x (channels + classes). Channels and F are the means over
  /// the image and its mirror image. Requires members < n.
  Outcome features(std::span<const std::uint32_t> members, std::vector<float>& values);

  /// Sets the public gradient to the mean over `rows`. Returns before the GPU has done it, unless
  /// F of each member is asked for (members x classes).
  Outcome public_gradient(const Rows& rows, std::span<float> f = {});

  /// The mean that public_gradient() made, for inspection.
  Outcome copy_public_gradient(std::span<float> gradient) const;

  /// Starts the clipped sum over `rows`; sum_finish() waits for it, so that other work fits in
  /// between. A row whose gradient is not finite adds zero. A row named twice, as itself or as its
  /// mirror image, is refused: it would count twice.
  /// Ensures: integers of one row have squares that sum to at most longest^2, and depend on that
  /// row (and public values) alone. Why: docs/deep.md, "Why the sum is private".
  Outcome sum_start(const Rows& rows, const Clip& clip);

  /// The integers (parameters()) and F of each member of that sum (members x classes).
  Outcome sum_finish(std::span<std::int64_t> sums, std::span<float> f);

  /// theta -= step * (public gradient + scale * released), `released` being a noisy sum.
  Outcome descend(double step, double scale, std::span<const std::int64_t> released);

  /// A step of Adam (moments of 0.9 and 0.999) along the public gradient, after theta was shrunk by
  /// the factor 1 - step * decay. For public objectives alone: dividing by its root mean square
  /// would amplify the noise of a released sum.
  Outcome adapt(double step, double decay = 0);

  /// Waits until the GPU is idle.
  Outcome synchronize() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace dpfermi::deep
