// The two neighbours of an attribute game.

#include <cmath>

#include "audit/attribute_game.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kUnits = 64;
constexpr std::uint32_t kBatch = 16;
constexpr double kSteps = 40;

// Input columns: one that the record and its witnesses share, one that is its own, the others'.
constexpr std::size_t kSharedColumn = 0;
constexpr std::size_t kTagColumn = 1;
constexpr std::size_t kOthersColumn = 2;
constexpr std::size_t kColumns = 5;
constexpr float kLong = 8;
constexpr float kShort = 0.25;

/// So short that every gradient is clipped and has the full length.
constexpr double kClipNorm = 1e-4;

struct Record {
  std::uint16_t s, y;
};

void write(Dataset& data, std::vector<std::uint16_t>& s, std::uint32_t unit, Record record) {
  data.x.row(unit).numbers[kSharedColumn] = kLong;
  data.y[unit] = record.y;
  s[unit] = record.s;
}

/// Everybody but the record in question, and room for it at the end.
Dataset others(std::vector<std::uint16_t>& s, std::uint32_t units, Record p, Record q) {
  Dataset data;
  data.x = HybridMatrix(units, kColumns, 0, kColumns);
  data.y.resize(units);
  data.units.resize(units);
  data.classes = 2;
  data.groups = 2;
  data.unit_count = units;
  s.resize(units);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    data.units[unit] = unit;
    data.y[unit] = static_cast<std::uint16_t>(unit / 2 % 2);
    s[unit] = static_cast<std::uint16_t>(unit % 2);
    const std::span<float> numbers = data.x.row(unit).numbers;
    for (std::size_t j = kOthersColumn; j < kColumns; ++j) {
      numbers[j] = std::sin(static_cast<float>(unit * kColumns + j));
    }
  }
  for (const std::uint32_t witness : {0U, 1U}) {
    for (float& number : data.x.row(witness).numbers) number = 0;
  }
  write(data, s, 0, p);
  write(data, s, 1, q);
  return data;
}

void place(Dataset& data, std::vector<std::uint16_t> s, std::optional<Record> record) {
  if (record) {
    const auto unit = static_cast<std::uint32_t>(data.unit_count - 1);
    for (float& number : data.x.row(unit).numbers) number = 0;
    write(data, s, unit, *record);
    data.x.row(unit).numbers[kTagColumn] = kShort;
  }
  data.s = Protected<std::vector<std::uint16_t>>::rehearsal(std::move(s), Invented::kRecords);
}

}  // namespace

Result<AttributeGame> make_game(const GameSettings& settings) {
  const bool groups_only = features_are_public(settings.adjacency);
  const bool vanishes = settings.adjacency == Adjacency::kAddRemoveRecord;
  // Where the whole record is secret, another label turns its gradient round.
  const Record p{0, 1};
  const Record q{1, static_cast<std::uint16_t>(groups_only ? 1 : 0)};
  AttributeGame game;
  game.name = "64 records, 40 steps";
  std::vector<std::uint16_t> s;
  game.p = others(s, kUnits, p, q);
  place(game.p, s, p);
  game.q = others(s, vanishes ? kUnits - 1 : kUnits, p, q);
  place(game.q, s, vanishes ? std::nullopt : std::optional(q));
  game.target = kUnits - 1;
  game.p_witness = 0;
  if (!vanishes) game.q_witness = 1;
  game.tag = kTagColumn;

  TrainingRequest request;
  request.method = settings.method;
  request.adjacency = settings.adjacency;
  request.epsilon = settings.epsilon;
  request.delta = settings.delta;
  request.batch = kBatch;
  request.epochs = kSteps * kBatch / kUnits;
  request.iterate = IterateRule::kLast;
  if (settings.method == Method::kDpFermi) {
    // lambda is so small that noise does not drown what the public batch does to the model; W moves
    // all the same.
    request.lambda = 1e-9;
    request.dual = DualRule::kAscent;
    request.w_rate = 0.1 / *request.lambda;
    request.theta_rate = 1;
    request.clip_norm = kClipNorm;
    request.residual_rounds = 0;  // the last iterate is what the guesser reads
  }
  if (settings.method == Method::kSketch) {
    request.lambda = 1;
    request.residual_rounds = 2;
  }
  if (!groups_only) request.declared_norm = kLong + 2;
  if (vanishes) request.declared_units = kUnits;
  DPFERMI_ASSIGN(game.plan, plan_training(request, game.p, 1));
  if (game.plan.counts_sigma > 0) {
    game.p_cell = p.s;
    if (!vanishes) game.q_cell = q.s;
  }
  // There the tables would stay empty: the whole norm is for the gradient.
  if (!groups_only) game.plan.table_weight = 0.05;
  return game;
}

}  // namespace dpfermi
