#include "artifact/checkpoint_file.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "artifact/artifact_json.h"
#include "artifact/framed_file.h"
#include "core/file.h"

namespace dpfermi {
namespace {

constexpr FileKind kCheckpoint = {"dpfermi-checkpoint", "checkpoint", "dpfermi train --checkpoint"};

/// The vectors of a checkpoint, in the order of the file.
struct Vector {
  const char* name;
  std::vector<double>* values;
};

std::array<Vector, 6> vectors_of(TrainingCheckpoint& training) {
  return {{{"theta", &training.state.theta},
           {"w", &training.state.w},
           {"kept", &training.state.kept},
           {"shares", &training.shares},
           {"marginals", &training.marginals},
           {"table", &training.table}}};
}

Json ledger_to_json(const LedgerPlace& place) {
  return {{"run", place.run_id}, {"sequence", place.head.sequence}, {"hash", place.head.hash}};
}

LedgerPlace ledger_from_json(const Json& json) {
  const JsonFields fields(json, "'ledger'", {"run", "sequence", "hash"});
  return {fields.text("run"), {fields.count("sequence"), fields.text("hash")}};
}

std::string header_of(Checkpoint& checkpoint) {
  TrainingCheckpoint& training = checkpoint.training;
  Json json = {{"step", training.state.step},
               {"lambda", training.lambda},
               {"ledger_plan", training.ledger_plan},
               {"setup", checkpoint.setup}};
  if (checkpoint.seed) json["seed"] = *checkpoint.seed;
  if (checkpoint.ledger) json["ledger"] = ledger_to_json(*checkpoint.ledger);
  for (const Vector& vector : vectors_of(training)) {
    json["numbers"][vector.name] = vector.values->size();
  }
  if (!training.merged.empty()) json["merged"] = training.merged;
  json["plan"] = json_of(training.plan);
  return json_text(json);
}

/// The checkpoint without its vectors, which have their sizes.
Checkpoint checkpoint_from_json(const Json& json, std::uint64_t held) {
  const JsonFields fields(
      json, "the header",
      {"step", "lambda", "ledger_plan", "setup", "seed", "ledger", "numbers", "merged", "plan"});
  Checkpoint checkpoint;
  TrainingCheckpoint& training = checkpoint.training;
  training.plan = value_or_throw(parse_plan(fields.at("plan").dump()));
  training.state.step = fields.count("step");
  training.lambda = fields.number("lambda");
  training.ledger_plan = fields.count("ledger_plan");
  checkpoint.setup = fields.text("setup");
  if (fields.has("merged")) {
    for (const std::uint64_t group : fields.counts("merged")) {
      // Out of range stays out of range.
      training.merged.push_back(
          static_cast<std::uint16_t>(std::min<std::uint64_t>(group, UINT16_MAX)));
    }
  }
  if (fields.has("seed")) checkpoint.seed = fields.count("seed");
  if (fields.has("ledger")) checkpoint.ledger = ledger_from_json(fields.at("ledger"));
  const JsonFields sizes(fields.at("numbers"), "'numbers'",
                         {"theta", "w", "kept", "shares", "marginals", "table"});
  std::uint64_t left = held;
  for (const Vector& vector : vectors_of(training)) {
    const std::uint64_t size = sizes.count(vector.name);
    if (size > left) throw BadJson("holds fewer numbers than its header says; train again");
    left -= size;
    vector.values->resize(size);
  }
  if (left != 0) throw BadJson("holds more numbers than its header says; train again");
  return checkpoint;
}

/// The dual, the marginals and the tables have the shapes of the plan, or are not there.
bool sizes_fit(const TrainingCheckpoint& training) {
  const TrainingPlan& plan = training.plan;
  const std::size_t conditions = condition_count(plan.notion, plan.model.classes);
  const std::size_t cells = conditions * plan.groups;
  const std::size_t table = (cells + conditions) * plan.model.outputs() + 1;
  const auto is = [](const std::vector<double>& values, std::size_t size) {
    return values.empty() || values.size() == size;
  };
  const bool merges = plan.merge_small > 0;
  const auto is_group = [&](std::uint16_t group) { return group < plan.groups; };
  if (training.merged.size() != (merges ? plan.groups : 0) ||
      !std::ranges::all_of(training.merged, is_group)) {
    return false;
  }
  return is(training.state.w, cells * plan.model.classes) && is(training.shares, conditions) &&
         is(training.marginals, cells) && is(training.table, 2 * table);
}

Status check_state(const TrainingCheckpoint& training) {
  const SolverState& state = training.state;
  const bool fits = state.theta.size() == training.plan.parameter_count() &&
                    (state.kept.empty() || state.kept.size() == state.theta.size()) &&
                    state.step <= training.plan.steps && sizes_fit(training);
  if (!fits) return failed("its state does not fit its plan; train again");
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::isfinite(training.lambda) || !std::ranges::all_of(state.theta, finite)) {
    return failed("a number of its state is not finite; train again");
  }
  return {};
}

Result<Checkpoint> decode_checkpoint_parts(std::string_view bytes) {
  DPFERMI_ASSIGN(const FramedParts parts, unframe(kCheckpoint, bytes));
  const std::size_t held = parts.numbers.size() / sizeof(double);
  if (parts.numbers.size() % sizeof(double) != 0) {
    return failed("its numbers are cut short; train again");
  }
  DPFERMI_ASSIGN(Checkpoint checkpoint, read_json(std::string(parts.header), [&](const Json& json) {
                   return checkpoint_from_json(json, held);
                 }));
  std::size_t next = 0;
  for (const Vector& vector : vectors_of(checkpoint.training)) {
    for (double& value : *vector.values) value = double_at(parts.numbers, next++);
  }
  DPFERMI_TRY(check_state(checkpoint.training));
  return checkpoint;
}

}  // namespace

Result<std::string> encode_checkpoint(const Checkpoint& given) {
  DPFERMI_TRY(check_state(given.training));
  Checkpoint checkpoint = given;
  std::string numbers;
  for (const Vector& vector : vectors_of(checkpoint.training)) {
    for (const double value : *vector.values) append_double(numbers, value);
  }
  return frame(kCheckpoint, header_of(checkpoint), numbers);
}

Result<Checkpoint> decode_checkpoint(std::string_view bytes, const std::string& origin) {
  auto checkpoint = decode_checkpoint_parts(bytes);
  if (!checkpoint) return tl::unexpected(in_file(origin, checkpoint.error()));
  return checkpoint;
}

Status write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, encode_checkpoint(checkpoint));
  return write_file_atomically(path, bytes);
}

Result<Checkpoint> read_checkpoint(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, read_framed(kCheckpoint, path));
  return decode_checkpoint(bytes, path.string());
}

}  // namespace dpfermi
