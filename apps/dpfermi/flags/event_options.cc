#include "flags/event_options.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <iterator>

#include "core/file.h"
#include "core/text.h"
#include "privacy/json_text.h"

namespace dpfermi::cli {
namespace {

Result<std::vector<std::int64_t>> parse_shifts(const std::string& text) {
  std::vector<std::int64_t> shifts;
  for (const std::string& piece : split_list(text)) {
    const auto number = parse_number(piece);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 1e15) {
      return usage_error(
          fmt::format("--shifts takes whole numbers such as 1,1, not '{}'", printable(piece)));
    }
    shifts.push_back(static_cast<std::int64_t>(*number));
  }
  return shifts;
}

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : printable(path);
}

/// Half a unit of the sixth digit.
double half_digit(double value) {
  return 0.5 * std::pow(10, std::floor(std::log10(value)) - 5);
}

}  // namespace

void EventOptions::add_to(CLI::App& verb) {
  verb.add_option("--mechanism", mechanism,
                  "poisson, revealed, gaussian, laplace or discrete-gaussian (default: poisson "
                  "with --q, gaussian without)");
  verb.add_option("--adjacency", adjacency,
                  "What neighbours differ in: sensitive (default), replace-record or "
                  "add-remove-record");
  verb.add_option("--noise-multiplier,--sigma", noise,
                  "Noise over the bound on one contribution (poisson), over the distance of "
                  "neighbouring sums (others), or in lattice steps (discrete-gaussian)");
  verb.add_option("--q", q, "Sampling rate of each record, in [0, 1]");
  verb.add_option("--steps", steps, "How often it is released (default 1)");
  verb.add_option("--shifts", shifts, "Discrete Gaussian: by how much each changed cell moves");
}

std::string EventOptions::mechanism_name() const {
  if (!mechanism.empty()) return mechanism;
  return q ? "poisson" : "gaussian";
}

Result<Adjacency> EventOptions::parsed_adjacency() const {
  return parse_adjacency(adjacency.value_or("sensitive"));
}

Result<std::uint64_t> EventOptions::step_count() const {
  if (!steps) return 1;
  const std::optional<double> number = parse_number(*steps);
  if (!number || *number != std::floor(*number) || !(*number >= 0 && *number <= 1e15)) {
    return usage_error(
        fmt::format("--steps takes a whole number from 0 to 1e15, not '{}'", printable(*steps)));
  }
  return static_cast<std::uint64_t>(*number);
}

Status EventOptions::check_flags() const {
  const std::string name = mechanism_name();
  if (q && name != "poisson" && name != "revealed") {
    return usage_error(fmt::format(
        "--q means nothing to the {} mechanism, which does not sample; drop it, or use --mechanism "
        "poisson or revealed",
        printable(name)));
  }
  if (shifts && name != "discrete-gaussian") {
    return usage_error(fmt::format(
        "--shifts means nothing to the {} mechanism; drop it, or use --mechanism discrete-gaussian",
        printable(name)));
  }
  return {};
}

std::optional<std::string> EventOptions::first_flag() const {
  if (!mechanism.empty()) return "--mechanism";
  if (adjacency) return "--adjacency";
  if (noise) return "--noise-multiplier";
  if (q) return "--q";
  if (steps) return "--steps";
  if (shifts) return "--shifts";
  return std::nullopt;
}

Result<PrivacyEvent> EventOptions::release(double noise_value, double rate) const {
  DPFERMI_ASSIGN(const Adjacency parsed, parsed_adjacency());
  const std::string name = mechanism_name();
  const auto create = [&](PrivacyEvent::Node node) {
    return PrivacyEvent::create(parsed, std::move(node));
  };
  if (name == "poisson") return create(PoissonGaussianRelease{rate, noise_value});
  if (name == "revealed") return create(RevealedPoissonGaussianRelease{rate, noise_value});
  if (name == "gaussian") return create(GaussianRelease{noise_value});
  if (name == "laplace") return create(LaplaceRelease{noise_value});
  if (name == "discrete-gaussian") {
    DPFERMI_ASSIGN(std::vector<std::int64_t> cells, parse_shifts(shifts.value_or("1")));
    return create(DiscreteGaussianRelease{noise_value, std::move(cells)});
  }
  return usage_error(
      fmt::format("unknown mechanism '{}'; use poisson, revealed, gaussian, laplace or "
                  "discrete-gaussian",
                  printable(name)));
}

Result<PrivacyEvent> EventOptions::event() const {
  if (!event_file.empty()) {
    if (const auto flag = first_flag()) {
      return usage_error(
          fmt::format("--event already says what is released; drop {}, or --event", *flag));
    }
    DPFERMI_ASSIGN(const std::string text, read_json(event_file));
    auto event = parse_event(text);
    if (!event) event.error().message.insert(0, source_name(event_file) + ": ");
    return event;
  }
  const std::string name = mechanism_name();
  if ((name == "poisson" || name == "revealed") && !q) {
    return usage_error(fmt::format("the {} mechanism needs its sampling rate: give --q", name));
  }
  if (!noise) return usage_error("give the noise with --noise-multiplier");
  DPFERMI_ASSIGN(const std::uint64_t count, step_count());
  DPFERMI_ASSIGN(const PrivacyEvent one, release(*noise, q.value_or(1)));
  DPFERMI_TRY(check_flags());
  return one.times(count);
}

Result<std::string> read_json(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    DPFERMI_ASSIGN(text, read_text_file(path));
  }
  if (const Status status = check_json(text); !status) {
    return failed(fmt::format("{}: {}", source_name(path), status.error().message));
  }
  return text;
}

std::string number_text(double value) {
  return std::isinf(value) ? "infinite" : fmt::format("{:.6g}", value);
}

std::string upper_text(double value) {
  std::string text = number_text(value);
  if (std::isfinite(value) && std::stod(text) < value)
    text = number_text(value + half_digit(value));
  return text;
}

std::string lower_text(double value) {
  std::string text = number_text(value);
  if (std::isfinite(value) && std::stod(text) > value)
    text = number_text(value - half_digit(value));
  return text;
}

Json number_json(double value) {
  return std::isinf(value) ? Json("inf") : Json::parse(shortest(value));
}

}  // namespace dpfermi::cli
