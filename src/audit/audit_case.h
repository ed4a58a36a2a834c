#pragma once

/// What an audit is run on: synthetic data and a request for training. No real protected value is
/// in it; where the user's own table is audited, s is replaced by coin flips first, and under the
/// record adjacencies, where x and y are protected too, so are whole records.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "audit/checks.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "model/deep_network.h"
#include "optimize/training.h"

namespace dpfermi {

/// What holds a network on this data, where the request is for one; the data may be a neighbour's.
using NetworkFor = std::function<std::shared_ptr<DeepNetwork>(const Dataset&)>;

struct AuditCase {
  std::string name;         ///< for people: "3 groups, equalized odds"
  TrainingRequest request;  ///< of a baseline: notion, adjacency, epsilon, delta and weights
  std::size_t favourable = 1;
  Dataset data;                  ///< data.s is a rehearsal value ...
  std::vector<std::uint16_t> s;  ///< ... made of these groups
  NetworkFor network = {};       ///< where the request is for a network
};

/// Method, adjacency and name.
Subject subject_of(const AuditCase& audited);

/// The plan that `train` would run for the case, or for the case with a neighbour's data. Numbers
/// that follow from what a run reads are settled: nothing is charged for synthetic data.
Result<TrainingPlan> plan_of(const AuditCase& audited);
Result<TrainingPlan> plan_of(const AuditCase& audited, const Dataset& data);

/// Small data sets of whole synthetic records. Numbers are a few units long, group 0 is the most
/// frequent one and the last is rare.
struct InventedSpec {
  std::uint32_t units = 48;
  std::size_t groups = 2;
  std::size_t classes = 2;
  std::size_t numbers = 2;
  std::size_t categories = 1;   ///< one-hot columns, three values each
  std::uint32_t most_rows = 1;  ///< of a person; above 1 units are persons
  std::uint64_t seed = 1;
};
AuditCase invented_case(std::string name, const InventedSpec& spec, TrainingRequest request);

/// A request small enough to be rehearsed thousands of times: batches of a quarter, `steps` steps.
TrainingRequest small_request(Method method, Adjacency adjacency, FairnessNotion notion,
                              const InventedSpec& spec, std::uint64_t steps);

/// Whether the run releases a sketch and queries, and takes no steps.
bool begins_with_sketch(const AuditCase& audited);

/// One small case for every method and adjacency that `train` offers, notions, persons, hidden
/// layers, many groups and classes, a steered lambda, merged groups and vectors longer than a block
/// of noise among them.
std::vector<AuditCase> standard_cases(std::uint64_t steps);

/// Those of the methods that `auto` chooses among: dp-fermi, sketch and repair. The paper's, which
/// does not keep its promise, is left out.
std::vector<AuditCase> private_cases(std::uint64_t steps);

/// The user's own table and settings with everything protected made up: under `sensitive` s is a
/// fair coin (one for all rows of a person); under the record adjacencies every record is drawn at
/// random in the shape of the table, as many as are public.
AuditCase rehearsal_of(std::string name, const Dataset& data, const TrainingRequest& request,
                       std::size_t favourable, std::uint64_t seed);

/// `data` with other groups, as invented as before. Requires s.size() == data.rows().
Dataset with_groups(const Dataset& data, std::vector<std::uint16_t> s);

/// `s` with all rows of `unit` in `group`.
std::vector<std::uint16_t> move_unit(const Dataset& data, std::vector<std::uint16_t> s,
                                     std::uint32_t unit, std::uint16_t group);

}  // namespace dpfermi
