#pragma once

/// Flags that several verbs share: which rows are held out, where charges go, the seed, and how
/// much runs at a time.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "experiment/sweep_job.h"
#include "workflow/private_evaluation.h"

namespace dpfermi::cli {

/// `fraction_help` says what is the default.
void add_split_flags(CLI::App& verb, SplitChoice& split, const std::string& fraction_help);

void add_spending_flags(CLI::App& verb, SpendingChoice& spending);

/// The flag --seed.
void add_seed(CLI::App& verb, std::optional<std::uint64_t>& seed, const std::string& group);

/// The flag --force, for what was paid for and would be overwritten.
void add_force(CLI::App& verb, bool& force);

/// Whether a flag --model, empty or boosted, asks for boosted trees; `whose`: "a sweep".
Result<bool> asks_for_trees(const std::string& model, const char* whose);

/// What `sweep` and `reproduce` share: where results go, how many runs at a time.
void add_sweep_flags(CLI::App& verb, SweepJob& job);

}  // namespace dpfermi::cli
