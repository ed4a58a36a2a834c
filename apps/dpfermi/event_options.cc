#include "event_options.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <iterator>

#include "dpfermi/core/file.h"
#include "dpfermi/core/text.h"

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

Result<PrivacyEvent> EventOptions::release(double noise_value, double rate) const {
  DPFERMI_ASSIGN(const Adjacency parsed, parse_adjacency(adjacency));
  const std::string name = mechanism_name();
  const auto create = [&](PrivacyEvent::Node node) {
    return PrivacyEvent::create(parsed, std::move(node));
  };
  if (name == "poisson") return create(PoissonGaussianRelease{rate, noise_value});
  if (name == "revealed") return create(RevealedPoissonGaussianRelease{rate, noise_value});
  if (name == "gaussian") return create(GaussianRelease{noise_value});
  if (name == "laplace") return create(LaplaceRelease{noise_value});
  if (name == "discrete-gaussian") {
    DPFERMI_ASSIGN(std::vector<std::int64_t> cells, parse_shifts(shifts));
    return create(DiscreteGaussianRelease{noise_value, std::move(cells)});
  }
  return usage_error(
      fmt::format("unknown mechanism '{}'; use poisson, revealed, gaussian, laplace or "
                  "discrete-gaussian",
                  printable(name)));
}

Result<PrivacyEvent> EventOptions::event() const {
  if (!event_file.empty()) {
    DPFERMI_ASSIGN(const std::string text, read_file_or_stdin(event_file));
    return parse_event(text);
  }
  if (!noise) return usage_error("give --noise-multiplier, or a file with --event");
  const std::string name = mechanism_name();
  if ((name == "poisson" || name == "revealed") && !q) {
    return usage_error(fmt::format("the {} mechanism needs its sampling rate: give --q", name));
  }
  DPFERMI_ASSIGN(const PrivacyEvent one, release(*noise, q.value_or(1)));
  return one.times(steps);
}

Result<std::string> read_file_or_stdin(const std::string& path) {
  if (path != "-") return read_text_file(path);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
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

std::string number_json(double value) {
  return std::isinf(value) ? "\"inf\"" : shortest(value);
}

}  // namespace dpfermi::cli
