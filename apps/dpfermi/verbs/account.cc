#include <fmt/format.h>

#include "cli.h"
#include "flags/event_options.h"
#include "print/account_explain.h"
#include "privacy/accounting_row.h"
#include "privacy/statement_json.h"

namespace dpfermi::cli {
namespace {

struct AccountOptions {
  EventOptions event;
  std::optional<double> delta;
  std::optional<double> epsilon;
  std::string batch;
  double tolerance = 1e-3;
  bool explain = false;
};

/// A batch brings its own questions.
Status check_batch(const AccountOptions& options) {
  std::optional<std::string> flag = options.event.first_flag();
  if (!options.event.event_file.empty()) flag = "--event";
  if (options.delta) flag = "--delta";
  if (options.epsilon) flag = "--epsilon";
  if (options.explain) flag = "--explain";
  if (!flag) return {};
  return usage_error(
      fmt::format("--batch takes everything but --tolerance from its rows; drop {}", *flag));
}

Result<CertifiedBound> answer_row(const Json& row, const PldOptions& options) {
  DPFERMI_ASSIGN(const AccountingRow question, parse_accounting_row(row));
  return certified_epsilon(question.event, question.delta, options);
}

/// One line for each row: {"id", "epsilon_lower", "epsilon_upper"}, or {"id", "error"}. Fails after
/// the last one where a row makes no sense.
Status account_batch(const std::string& path, double tolerance, const Context& context) {
  DPFERMI_ASSIGN(const std::string content, read_json(path));
  const Json rows = Json::parse(content, nullptr, false);
  if (!rows.is_array()) {
    return failed(
        fmt::format("{}: not a JSON array of rows; see docs/accounting.md", printable(path)));
  }
  const PldOptions options{.tolerance = tolerance, .relative = true, .cross_check = false};
  std::size_t unsupported = 0;
  std::size_t senseless = 0;
  for (const Json& row : rows) {
    Json answer = {{"id", row.is_object() && row.contains("id") ? row.at("id") : Json()}};
    const auto bound = answer_row(row, options);
    if (bound) {
      answer["epsilon_lower"] = number_json(bound->lower);
      answer["epsilon_upper"] = number_json(bound->upper);
    } else {
      ++(bound.error().kind == ErrorKind::kUsage ? senseless : unsupported);
      answer["error"] = bound.error().message;
    }
    Context::print(answer.dump() + "\n");
  }
  if (unsupported > 0) {
    context.note(fmt::format("{} of {} {} not supported; their lines say why", unsupported,
                             counted(rows.size(), "row"), unsupported == 1 ? "is" : "are"));
  }
  if (senseless == 0) return {};
  return failed(fmt::format("{} of {} {} no sense; their lines say why", senseless,
                            counted(rows.size(), "row"), senseless == 1 ? "makes" : "make"));
}

Json json_of(const PrivacyEvent& event, const CertifiedBound& bound,
             const AccountOptions& options) {
  const std::string given = options.delta ? "delta" : "epsilon";
  const std::string found = options.delta ? "epsilon" : "delta";
  return {{"adjacency", to_string(event.adjacency())},
          {"event", dpfermi::json_of(event)},
          {given, number_json(options.delta ? *options.delta : *options.epsilon)},
          {found + "_lower", number_json(bound.lower)},
          {found + "_upper", number_json(bound.upper)},
          {"method", bound.method},
          {"direction", bound.direction},
          {"second_opinion", bound.second_opinion ? number_json(*bound.second_opinion) : Json()}};
}

Status account(const Context& context, const AccountOptions& options) {
  if (!(options.tolerance > 0 && options.tolerance <= 1)) {
    return usage_error("--tolerance must lie in (0, 1]");
  }
  if (!options.batch.empty()) {
    DPFERMI_TRY(check_batch(options));
    return account_batch(options.batch, options.tolerance, context);
  }
  if (options.delta.has_value() == options.epsilon.has_value()) {
    return usage_error("give either --delta (to learn epsilon) or --epsilon (to learn delta)");
  }
  if (!options.event.noise && options.event.event_file.empty()) {
    return usage_error("give --noise-multiplier, or a file with --event");
  }
  DPFERMI_ASSIGN(const PrivacyEvent event, options.event.event());
  const PldOptions pld{.tolerance = options.tolerance, .relative = true};
  DPFERMI_ASSIGN(const CertifiedBound bound, options.delta
                                                 ? certified_epsilon(event, *options.delta, pld)
                                                 : certified_delta(event, *options.epsilon, pld));
  std::optional<Explanation> explained;
  if (options.explain) {
    DPFERMI_ASSIGN(explained, explain(event, bound, options.delta));
  }
  if (context.json) {
    Json json = json_of(event, bound, options);
    if (explained) json["explanation"] = explained->json();
    Context::print(json.dump() + "\n");
    return {};
  }
  Context::print(
      fmt::format("{} {} at {} {}{}\n  certified upper bound {}\n  certified lower bound {}\n",
                  options.delta ? "epsilon" : "delta", upper_text(bound.upper),
                  options.delta ? "delta" : "epsilon",
                  number_text(options.delta ? *options.delta : *options.epsilon),
                  bound.method == kFallback ? fmt::format(" ({})", kFallback) : "",
                  upper_text(bound.upper), lower_text(bound.lower)));
  if (explained) Context::print(explained->text());
  return {};
}

}  // namespace

void add_account(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb<AccountOptions>(
      app, context, "account", "What a release costs: certified bounds on epsilon or delta",
      "  dpfermi account --q 0.028 --noise-multiplier 8.8 --steps 7154 --delta 1e-5 --explain\n"
      "  dpfermi account --mechanism laplace --sigma 10 --epsilon 0.1\n"
      "  dpfermi account --event run.json --delta 1e-6\n"
      "  dpfermi account --batch rows.json",
      account);
  options->event.add_to(*verb);
  verb->add_option("--event", options->event.event_file,
                   "A file with an event tree as JSON instead of the flags above ('-': stdin)");
  verb->add_option("--delta", options->delta, "The delta at which epsilon is wanted");
  verb->add_option("--epsilon", options->epsilon, "The epsilon at which delta is wanted");
  verb->add_option("--tolerance", options->tolerance,
                   "Wanted width of the bounds, relative to epsilon, in (0, 1]");
  verb->add_flag("--explain", options->explain,
                 "Also the events, the binding direction, RDP and the paper's theorem");
  verb->add_option(
      "--batch", options->batch,
      "A JSON array of rows (id, mechanism, adjacency, q, sigma, T, delta): prints one "
      "JSON line with certified bounds for each. Unlike the flags, a row's gaussian "
      "sigma is over one contribution, not over the distance, which is 2 under "
      "exchange adjacencies; see docs/accounting.md");
}

}  // namespace dpfermi::cli
