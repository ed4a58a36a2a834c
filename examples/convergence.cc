// How fast DP-SGDA converges, measured: runs the theorem's plan for a range of n, of d and of batch
// sizes m and prints markdown tables with fitted slopes. docs/convergence.md holds its output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "experiment/frontier.h"
#include "theorem_run.h"

namespace dpfermi::examples {
namespace {

struct Point {
  double at;  ///< the quantity that varies
  TheoremSetting setting;
  std::vector<Stationarity> runs;  ///< by seed
};

using Figure = double Stationarity::*;

Estimate over_seeds(const Point& point, Figure figure) {
  std::vector<double> values;
  for (const Stationarity& run : point.runs) values.push_back(run.*figure);
  return estimate(values);
}

/// Of log figure against log at: least squares for every seed, then mean and standard error, which
/// the independence of the seeds makes honest.
Estimate slope(const std::vector<Point>& points, Figure figure) {
  double centre = 0;
  for (const Point& point : points)
    centre += std::log(point.at) / static_cast<double>(points.size());
  std::vector<double> slopes;
  for (std::size_t seed = 0; seed < points[0].runs.size(); ++seed) {
    double product = 0;
    double square = 0;
    for (const Point& point : points) {
      const double x = std::log(point.at) - centre;
      product += x * std::log(point.runs[seed].*figure);
      square += x * x;
    }
    slopes.push_back(product / square);
  }
  return estimate(slopes);
}

/// Of all releases for theta and w together, whatever the theorem says.
Result<double> certified_epsilon(const TheoremSetting& setting) {
  const TheoremPlan plan = theorem_plan(setting);
  DPFERMI_ASSIGN(const PrivacyEvent event, theorem_event(setting, plan));
  DPFERMI_ASSIGN(const CertifiedBound bound,
                 dpfermi::certified_epsilon(event.times(plan.steps), setting.delta));
  return bound.upper;
}

/// Measures and prints one table; `name` is that of the varied quantity.
Status sweep(const std::string& name, std::vector<Point> points, std::uint64_t seeds) {
  fmt::print(
      "| {} | T | certified ε | random iterate | last half | theorem's expression |\n"
      "|---|---|---|---|---|---|\n",
      name);
  for (Point& point : points) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      DPFERMI_ASSIGN(const Stationarity run, measure(point.setting, seed));
      point.runs.push_back(run);
    }
    DPFERMI_ASSIGN(const double certified, certified_epsilon(point.setting));
    const Estimate all = over_seeds(point, &Stationarity::random_iterate);
    const Estimate last = over_seeds(point, &Stationarity::last_half);
    fmt::print("| {} | {} | {:.2f} | {:.3g} ± {:.1g} | {:.3g} ± {:.1g} | {:.3g} |\n", point.at,
               theorem_plan(point.setting).steps, certified, all.mean, all.error, last.mean,
               last.error, theorem_bound(point.setting));
  }
  const Estimate all = slope(points, &Stationarity::random_iterate);
  const Estimate last = slope(points, &Stationarity::last_half);
  fmt::print("| **slope** | | | **{:.3f} ± {:.3f}** | **{:.3f} ± {:.3f}** | |\n\n", all.mean,
             all.error, last.mean, last.error);
  std::fflush(stdout);
  return {};
}

struct Request {
  std::uint64_t seeds = 5;
  TheoremSetting fixed{.n = 1U << 12, .d = 16};
  int most_n = 14;  ///< powers of two
  int most_d = 8;
};

Status run(const Request& request) {
  const TheoremPlan plan = theorem_plan(request.fixed);
  fmt::print("ε = {}, δ = {}, η_θ = 1/{:.1f}, η_w = {}, {} seeds.\n\n", request.fixed.epsilon,
             request.fixed.delta, 1 / plan.theta_rate, plan.w_rate, request.seeds);

  std::vector<Point> points;
  for (int power = 10; power <= request.most_n; ++power) {
    TheoremSetting setting = request.fixed;
    setting.n = 1U << power;
    points.push_back({std::ldexp(1, power), setting, {}});
  }
  fmt::print("### n, at d = {} and m = n\n", request.fixed.d);
  DPFERMI_TRY(sweep("n", points, request.seeds));

  points.clear();
  for (int power = 2; power <= request.most_d; ++power) {
    TheoremSetting setting = request.fixed;
    setting.d = std::size_t{1} << power;
    points.push_back({std::ldexp(1, power), setting, {}});
  }
  fmt::print("### d, at n = {} and m = n\n", request.fixed.n);
  DPFERMI_TRY(sweep("d", points, request.seeds));

  points.clear();
  for (int halvings = 5; halvings > 0; halvings -= 2) {
    TheoremSetting setting = request.fixed;
    setting.q = std::ldexp(1, -halvings);
    points.push_back({setting.q * setting.n, setting, {}});
  }
  fmt::print("### m, at n = {} and d = {}\n", request.fixed.n, request.fixed.d);
  return sweep("m", points, request.seeds);
}

}  // namespace
}  // namespace dpfermi::examples

int main(int argc, char** argv) {
  dpfermi::examples::Request request;
  CLI::App app("Measured convergence of DP-SGDA, as markdown", "convergence");
  app.add_option("--seeds", request.seeds, "independent runs of every point")
      ->check(CLI::Range(2, 1000));
  app.add_option("--most-n", request.most_n, "log2 of the largest n")->check(CLI::Range(11, 24));
  app.add_option("--most-d", request.most_d, "log2 of the largest d")->check(CLI::Range(3, 16));
  CLI11_PARSE(app, argc, argv);
  const dpfermi::Status status = dpfermi::examples::run(request);
  if (!status) fmt::print(stderr, "convergence: {}\n", status.error().message);
  return status ? 0 : static_cast<int>(status.error().kind);
}
