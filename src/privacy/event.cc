#include "dpfermi/privacy/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "privacy/overloaded.h"

namespace dpfermi {
namespace {

Status check_noise(double value, std::string_view what) {
  if (std::isnan(value) || value < 0) {
    return usage_error(fmt::format("{} must be a number >= 0, not {}", what, value));
  }
  return {};
}

Status check_rate(double q) {
  if (!(q >= 0 && q <= 1)) {
    return usage_error(fmt::format("the sampling rate q must lie in [0, 1], not {}", q));
  }
  return {};
}

Status check_node(const PrivacyEvent::Node& node, Adjacency adjacency) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& g) { return check_noise(g.sigma_over_distance, "sigma"); },
          [](const LaplaceRelease& l) { return check_noise(l.scale_over_distance, "the scale"); },
          [](const DiscreteGaussianRelease& d) -> Status {
            DPFERMI_TRY(check_noise(d.sigma, "sigma"));
            if (d.shifts.empty() || std::ranges::count(d.shifts, 0) > 0) {
              return usage_error("the shifts of a discrete Gaussian must be nonzero integers");
            }
            return {};
          },
          [](const PoissonGaussianRelease& p) -> Status {
            DPFERMI_TRY(check_rate(p.q));
            return check_noise(p.noise_multiplier, "the noise multiplier");
          },
          [](const RevealedPoissonGaussianRelease& p) -> Status {
            DPFERMI_TRY(check_rate(p.q));
            return check_noise(p.sigma_over_distance, "sigma");
          },
          [](const PureRelease& p) -> Status {
            if (p.epsilon >= 0) return {};
            return usage_error(
                fmt::format("the epsilon of a pure release must be >= 0, not {}", p.epsilon));
          },
          [](const ExactRelease&) -> Status { return {}; },
          [&](const Composition& c) -> Status {
            if (std::ranges::any_of(c.parts, [&](const PrivacyEvent& part) {
                  return part.adjacency() != adjacency;
                })) {
              return usage_error("events of different adjacencies cannot be composed");
            }
            return {};
          },
          [&](const Repetition& r) -> Status {
            if (r.part == nullptr || r.part->adjacency() != adjacency) {
              return usage_error("events of different adjacencies cannot be composed");
            }
            return {};
          },
      },
      node);
}

/// Levels below and including the root of an event with this node.
int depth_of(const PrivacyEvent::Node& node) {
  int below = 0;
  if (const auto* composition = std::get_if<Composition>(&node)) {
    for (const PrivacyEvent& part : composition->parts) below = std::max(below, part.depth());
  } else if (const auto* repetition = std::get_if<Repetition>(&node)) {
    below = repetition->part->depth();
  }
  return below + 1;
}

}  // namespace

Result<PrivacyEvent> PrivacyEvent::create(Adjacency adjacency, Node node) {
  DPFERMI_TRY(check_node(node, adjacency));
  const int depth = depth_of(node);
  // times() may put one level on top of anything but a repetition.
  const int room = std::holds_alternative<Repetition>(node) ? 0 : 1;
  if (depth + room > kMostDepth) {
    return usage_error(fmt::format(
        "events are nested more than {} levels deep; compose them side by side", kMostDepth - 1));
  }
  return PrivacyEvent(adjacency, std::move(node), depth);
}

PrivacyEvent PrivacyEvent::times(std::uint64_t count) const {
  const auto* again = std::get_if<Repetition>(&node_);
  if (again == nullptr) {
    return {adjacency_, Repetition{std::make_shared<const PrivacyEvent>(*this), count}, depth_ + 1};
  }
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(again->count, count, &product)) product = ~0ULL;
  return {adjacency_, Repetition{again->part, product}, depth_};
}

std::string describe(const PrivacyEvent& event) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& g) {
            return fmt::format("Gaussian(sigma={:.6g} distances)", g.sigma_over_distance);
          },
          [](const LaplaceRelease& l) {
            return fmt::format("Laplace(scale={:.6g} distances)", l.scale_over_distance);
          },
          [](const DiscreteGaussianRelease& d) {
            return fmt::format("discrete Gaussian(sigma={:.6g}, {} changed cells)", d.sigma,
                               d.shifts.size());
          },
          [](const PoissonGaussianRelease& p) {
            return fmt::format("Poisson(q={:.6g}) Gaussian(z={:.6g})", p.q, p.noise_multiplier);
          },
          [](const RevealedPoissonGaussianRelease& p) {
            return fmt::format("revealed Poisson(q={:.6g}) Gaussian(sigma={:.6g} distances)", p.q,
                               p.sigma_over_distance);
          },
          [](const PureRelease& p) { return fmt::format("pure(epsilon={:.6g})", p.epsilon); },
          [](const ExactRelease&) { return std::string("exact release"); },
          [](const Composition& c) {
            std::string text;
            for (const PrivacyEvent& part : c.parts) {
              text += (text.empty() ? "" : " + ") + describe(part);
            }
            return text.empty() ? "nothing" : "(" + text + ")";
          },
          [](const Repetition& r) {
            return fmt::format("{} x {}", with_thousands(r.count), describe(*r.part));
          },
      },
      event.node());
}

}  // namespace dpfermi
