#include "privacy/ledger/budget_json.h"

namespace dpfermi {
namespace {

/// Infinity has no JSON number.
Json amount_json(const Amount& amount, Rounding rounding) {
  return amount.is_infinite() ? Json("inf") : Json(amount.to_double(rounding));
}

Json amounts_json(const Amount& epsilon, const Amount& delta, Rounding rounding) {
  return {{"epsilon", amount_json(epsilon, rounding)}, {"delta", amount_json(delta, rounding)}};
}

}  // namespace

Json json_of(const BudgetState& budget) {
  Json json = {{"name", budget.name},
               {"adjacency", to_string(budget.adjacency)},
               {"fingerprint", nullptr},
               {"cap", nullptr},
               {"spent", amounts_json(budget.spent_epsilon, budget.spent_delta, Rounding::kUp)},
               {"left", nullptr},
               {"charges", budget.charges},
               {"relatives", budget.relatives},
               {"open_runs", budget.open_runs}};
  if (!budget.fingerprint.empty()) json["fingerprint"] = budget.fingerprint;
  if (!budget.cap) return json;
  json["cap"] = amounts_json(budget.cap->epsilon, budget.cap->delta, Rounding::kDown);
  if (const auto& filter = budget.cap->filter) {
    const RenyiAmount left = budget.left_renyi();
    json["renyi"] = {{"order", amount_json(filter->order, Rounding::kUp)},
                     {"divergence", amount_json(filter->divergence, Rounding::kDown)},
                     {"failure", amount_json(filter->failure, Rounding::kDown)}};
    json["left"] = {{"divergence", amount_json(left.divergence, Rounding::kDown)},
                    {"failure", amount_json(left.failure, Rounding::kDown)}};
  } else {
    json["left"] = amounts_json(budget.left_epsilon(), budget.left_delta(), Rounding::kDown);
  }
  return json;
}

}  // namespace dpfermi
