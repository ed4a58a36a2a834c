#pragma once

/// T3: thousands of real training runs on two neighbouring data sets, and an attacker who guesses
/// from what was released which of the two it was. Claimed is the accountant's whole curve
/// delta(epsilon) of what the ledger was charged; the profile test (audit/bounds.h) compares.
///
/// The guesser is as strong as the analysis allows: knows every record but one, what the others
/// added to every sum (a conditional statement: Poisson sampling draws everybody apart), the model
/// after every step, and the code. Not whether the one record was drawn.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/bounds.h"
#include "audit/checks.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "optimize/training.h"

namespace dpfermi {

/// Two neighbours that differ in the last unit, made so that this unit's contributions are as long
/// as they may be. Two other records, the witnesses, are alike to it on either side: what they add
/// in a step is what the unit would add.
struct AttributeGame {
  std::string name;
  TrainingPlan plan;
  Dataset p, q;
  std::uint32_t target = 0;
  std::uint32_t p_witness = 0;
  std::optional<std::uint32_t> q_witness;     ///< none where the unit is absent
  std::optional<std::size_t> p_cell, q_cell;  ///< of the group counts
  std::size_t tag = 0;                        ///< an input column that no other record has
};

struct GameSettings {
  Method method = Method::kDpFermi;
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 2;
  double delta = 1e-5;
};

/// n = 64, q = 1/4, T = 40, noise calibrated to the budget.
Result<AttributeGame> make_game(const GameSettings& settings);

/// Log-likelihood ratios of P against Q, summed over releases; one entry a game.
struct AttributeScores {
  GameScores mixture;     ///< the record may or may not have been drawn: exact, as accounted
  GameScores membership;  ///< taken for drawn where the model shows it in the public batch
  PrivacyEvent charged;   ///< what the ledger wrote down for a game
};

/// Plays `games` on either side; game i is the same whatever the number of workers.
Result<AttributeScores> play(const AttributeGame& game, std::size_t games, std::uint64_t seed,
                             Workers& workers);

/// The points of the curve that are tested, chosen beforehand.
inline const std::vector<double> kProfilePoints = {0, 1, 2.5};

/// Plays and compares with the claim.
Result<std::vector<Check>> attribute_checks(const AttributeGame& game, std::size_t games,
                                            std::uint64_t seed, Workers& workers);

}  // namespace dpfermi
