#include "print/budget_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi::cli {
namespace {

std::string text_of(const Amount& amount, Rounding rounding) {
  const double value = amount.to_double(rounding);
  return rounding == Rounding::kUp ? rounded_up(value) : rounded_down(value);
}

/// An amount as an entry of the ledger holds it, with every digit.
std::string text_of(const std::string& amount) {
  const std::optional<double> value = parse_number(amount);
  return value ? rounded_up(*value) : amount;
}

std::string left_text(const BudgetState& budget) {
  if (!budget.cap) return "  left        not limited: 'dpfermi ledger init' sets a budget\n";
  const std::string epsilon = text_of(budget.cap->epsilon, Rounding::kDown);
  const std::string delta = text_of(budget.cap->delta, Rounding::kDown);
  if (!budget.cap->filter) {
    return fmt::format("  left        epsilon {}, delta {} of {}, {}\n",
                       text_of(budget.left_epsilon(), Rounding::kDown),
                       text_of(budget.left_delta(), Rounding::kDown), epsilon, delta);
  }
  const RenyiFilter& filter = *budget.cap->filter;
  const RenyiAmount left = budget.left_renyi();
  return fmt::format(
      "  filter      keeps epsilon {}, delta {} by Renyi divergences of order {}\n"
      "  left        divergence {:.6g}, failure {:.6g} of {:.6g}, {:.6g}\n",
      epsilon, delta, filter.order.text(), left.divergence.to_double(Rounding::kDown),
      left.failure.to_double(Rounding::kDown), filter.divergence.to_double(Rounding::kDown),
      filter.failure.to_double(Rounding::kDown));
}

}  // namespace

std::string describe_budget(const BudgetState& budget) {
  std::string text = fmt::format(
      "{}\n  adjacency   {}\n  data        {}\n  spent       epsilon {}, delta {} in {}\n",
      budget.name, to_string(budget.adjacency),
      budget.fingerprint.empty() ? "not tied to any yet" : budget.fingerprint,
      text_of(budget.spent_epsilon, Rounding::kUp), text_of(budget.spent_delta, Rounding::kUp),
      counted(budget.charges, "charge"));
  if (!budget.relatives.empty()) {
    text += fmt::format("              with what budgets of other adjacencies spent: {}\n",
                        printable_list(budget.relatives));
  }
  text += left_text(budget);
  if (budget.open_runs > 0) {
    text += fmt::format("  open runs   {} (running, or ended early; charged in full)\n",
                        with_thousands(budget.open_runs));
  }
  return text;
}

Result<std::string> describe_charge(const Json& charge) {
  const auto field = [&](const char* key) { return charge.at(key).get<std::string>(); };
  const char* seed = charge.value("rehearsal", false) ? " (rehearsal on synthetic data, fixed seed)"
                     : charge.at("fixed_seed")        ? " (fixed seed, not private)"
                                                      : "";
  std::string text =
      fmt::format("  {:>6}  {}  run {}  epsilon {}, delta {}: {}{}\n",
                  charge.at("sequence").get<std::uint64_t>(), field("time"), field("run"),
                  text_of(field("epsilon")), text_of(field("delta")), field("purpose"), seed);
  for (const Json& part : charge.at("parts")) {
    const auto spare = part.at("spare").get<std::uint64_t>();
    DPFERMI_ASSIGN(const PrivacyEvent event, parse_event(part.at("event").dump()));
    text += fmt::format("          {}: {}{}\n", part.at("purpose").get<std::string>(),
                        describe(event.times(part.at("steps").get<std::uint64_t>() + spare)),
                        spare == 0 ? "" : fmt::format(", {} of them spare", with_thousands(spare)));
  }
  return text;
}

}  // namespace dpfermi::cli
