#pragma once

/// What one run of an experiment is: all that distinguishes it from the other runs of its grid.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/optimize/method.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

/// How data are read and parted into training and test rows.
enum class Protocol {
  kHonest,       ///< no person and no copy of a row on both sides; a random split for each number
  kAsPublished,  ///< the files and the one split of the paper's experiments; only noise differs
};
/// "honest" or "as-published": also the name of the variant of a registered data set.
std::string_view to_string(Protocol protocol);
Result<Protocol> parse_protocol(std::string_view text);

/// The method of that name, or which name may have been meant.
Result<Method> known_method(std::string_view name);

struct RunSpec {
  std::string dataset;
  Protocol protocol = Protocol::kHonest;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::string method;
  std::optional<double> epsilon;      ///< nothing: not private
  std::optional<double> delta;        ///< nothing: 1/n^2
  std::optional<double> lambda;       ///< nothing: steered to `target`
  std::optional<double> target;       ///< largest violation asked for
  std::uint32_t split = 0;            ///< which split, or which repetition of the published one
  std::optional<std::uint64_t> seed;  ///< of the noise, given by the grid; nothing: secret noise
  Adjacency adjacency = Adjacency::kSensitive;
  std::vector<std::size_t> hidden;  ///< widths of hidden layers; none: regression
  bool boosted = false;             ///< gradient-boosted trees instead of these
  /// Groups of fewer training units take part in no comparison of the figures.
  std::uint32_t least_group = 0;
};

/// "adult/honest/demographic-parity/dp-fermi/epsilon=1/lambda=2/split=0": the same run has the same
/// key in every sweep. The seed is not part of it.
std::string run_key(const RunSpec& spec);

/// The seed of a run's noise, from the sweep's seed and its key: no two runs of a sweep share noise
/// or a secret batch. Below 2^48, so that every reader of JSON keeps it exactly.
Result<std::uint64_t> run_seed(std::uint64_t sweep_seed, const std::string& key);

/// "regression", "hidden 64,32" or "boosted".
std::string model_name(const RunSpec& spec);

}  // namespace dpfermi
