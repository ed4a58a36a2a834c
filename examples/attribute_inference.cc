// What epsilon buys: how well an attacker who holds the model guesses a person's sensitive
// attribute, with and without privacy, beyond what features and labels tell anyway.
// docs/attribute-inference.md explains the game and holds the output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "attribute_attack.h"
#include "data/census.h"
#include "data/registry.h"
#include "dpfermi/core/workers.h"
#include "experiment/frontier.h"
#include "model/network.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "workflow/load.h"

namespace dpfermi::examples {
namespace {

struct Request {
  std::string dataset = "census";
  std::string folder;
  std::uint64_t rows = 500;
  std::uint64_t targets = 40;
  std::uint64_t worlds = 400;
  std::uint64_t seed = 1;
  double lambda = 3;
  std::vector<double> epsilons{0.1, 0.5, 1, 3, 9, std::numeric_limits<double>::infinity()};
  unsigned threads = 2;
  std::string out;
};

/// Rows to train on, the first of which are the targets, and what features and labels alone say
/// about the targets.
struct Game {
  Dataset train;
  std::size_t favourable = 0;
  std::vector<std::uint16_t> s;  ///< of the training rows, before coins
  std::vector<double> prior;     ///< log-odds of group 1 against group 0, per target
  Eigen::MatrixXd inputs;        ///< [x, 1] of the targets
};

Result<TableRequest> find_table(const Request& request) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(request.dataset));
  DPFERMI_ASSIGN(const auto path, locate_dataset(dataset, data_folders(request.folder)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant("honest"));
  return table_request(variant, path);
}

Result<Table> read_rows(const Request& request, bool impute) {
  // To impute, the attribute is what is predicted and the label one more feature.
  const auto turn = [&](Schema schema) {
    if (!impute) return schema;
    schema.columns.erase(schema.target.column);
    schema.target = {.column = schema.sensitive.at(0).column};
    schema.target.values = schema.sensitive.at(0).values;
    schema.sensitive.clear();
    return schema;
  };
  if (request.dataset != "census") {
    DPFERMI_ASSIGN(TableRequest table, find_table(request));
    table.schema = turn(table.schema);
    return read_table(table);
  }
  const CensusSpec spec;
  std::ostringstream csv;
  DPFERMI_TRY(write_census(spec, csv));
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("census", std::move(csv).str()));
  return read_table(std::move(sources), turn(census_schema(spec)));
}

/// The imputation baseline: logistic regression of the attribute on features and label, fitted to
/// other rows of the same population, whose attributes the attacker is given.
Result<std::vector<double>> impute(const Table& table, const std::vector<std::uint32_t>& open,
                                   const std::vector<std::uint32_t>& targets, std::uint64_t seed) {
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, {open, targets}));
  TrainingRequest request;
  request.method = Method::kErm;
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(request, encoded.train, 1));
  ResearchLedger ledger;
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  DPFERMI_ASSIGN(const TrainingResult result, train(encoded.train, plan, ledger, std::move(noise)));
  const std::vector<float> chances = predict(Network(plan.model), result.theta, encoded.test->x);
  std::vector<double> odds;
  for (std::size_t at = 0; at < chances.size(); at += plan.model.classes) {
    odds.push_back(
        std::log(std::max(double{chances[at + 1]}, 1e-9) / std::max(double{chances[at]}, 1e-9)));
  }
  return odds;
}

Result<Game> set_up(const Request& request) {
  DPFERMI_ASSIGN(const Table table, read_rows(request, false));
  DPFERMI_ASSIGN(const Table turned, read_rows(request, true));
  if (table.labels.classes.size() != 2) {
    return usage_error("the attack is on models of two classes; choose another data set");
  }
  constexpr std::uint64_t kMostOpen = 5000;
  if (table.rows < request.rows + 100 || turned.rows != table.rows ||
      request.targets > request.rows) {
    return usage_error("there are too few rows for that; use fewer --rows or --targets");
  }
  std::vector<std::uint32_t> order(table.rows);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(request.seed));
  const auto from = [&](std::uint64_t first, std::uint64_t count) {
    const auto start = order.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<std::uint32_t>(start, start + static_cast<std::ptrdiff_t>(count));
  };
  const std::vector<std::uint32_t> rows = from(0, request.rows);
  const std::vector<std::uint32_t> open =
      from(request.rows, std::min(kMostOpen, table.rows - request.rows));
  DPFERMI_ASSIGN(EncodedSplit encoded, encode_split(table, {open, rows}));
  Game game;
  game.train = *std::move(encoded.test);
  game.favourable = table.labels.positive;
  game.s = ExactForHolder::read(game.train.s);
  DPFERMI_ASSIGN(game.prior, impute(turned, open, from(0, request.targets), request.seed));
  const auto m = static_cast<Eigen::Index>(request.targets);
  const auto d = static_cast<Eigen::Index>(game.train.x.columns());
  game.inputs = Eigen::MatrixXd::Ones(m, d + 1);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      game.inputs(i, j) = game.train.x.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
  }
  return game;
}

Result<TrainingPlan> plan_for(const Request& request, const Game& game, double epsilon) {
  TrainingRequest wanted;
  wanted.lambda = request.lambda;
  wanted.method = std::isinf(epsilon) ? Method::kFermi : Method::kDpFermi;
  if (!std::isinf(epsilon)) wanted.epsilon = epsilon;
  return plan_training(wanted, game.train, game.favourable);
}

/// Coins of one world, the same for every epsilon; noise that differs.
std::vector<std::uint16_t> toss(const Request& request, const Game& game, std::uint64_t world) {
  std::mt19937_64 random(request.seed * 1'000'003 + world);
  std::vector<std::uint16_t> s = game.s;
  for (std::uint64_t i = 0; i < request.targets; ++i) s[i] = random() >> 63 == 0 ? 0 : 1;
  return s;
}

Result<Worlds> run_worlds(const Request& request, const Game& game, double epsilon) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_for(request, game, epsilon));
  const auto count = static_cast<Eigen::Index>(request.worlds);
  Worlds worlds{Eigen::MatrixXd(count, game.inputs.cols()),
                Eigen::MatrixXd(count, game.inputs.rows())};
  std::vector<Status> failures(request.worlds);
  Workers workers(request.threads);
  workers.run(request.worlds, [&](std::size_t w, unsigned) {
    failures[w] = [&]() -> Status {
      Dataset data = game.train;
      std::vector<std::uint16_t> s = toss(request, game, w);
      for (Eigen::Index i = 0; i < game.inputs.rows(); ++i) {
        worlds.coins(static_cast<Eigen::Index>(w), i) = s[static_cast<std::size_t>(i)];
      }
      data.s = Protected(std::move(s));
      ResearchLedger ledger;
      DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(request.seed * 1'000'000 + w));
      DPFERMI_ASSIGN(const TrainingResult result, train(data, plan, ledger, std::move(noise)));
      worlds.released.row(static_cast<Eigen::Index>(w)) =
          Eigen::Map<const Eigen::RowVectorXd>(result.theta.data(), game.inputs.cols());
      return {};
    }();
  });
  for (Status& failure : failures) DPFERMI_TRY(std::move(failure));
  return worlds;
}

/// What the attacker achieves, per world: means and standard errors over worlds.
struct Score {
  Estimate auc, advantage;
  Estimate imputed, combined, gain;
};

Score judge(const Game& game, const Worlds& worlds, const Eigen::MatrixXd& ratio) {
  const Eigen::Index first = worlds.coins.rows() - ratio.rows();
  std::vector<double> auc, advantage, imputed, combined, gain;
  for (Eigen::Index w = 0; w < ratio.rows(); ++w) {
    std::vector<Guess> coin, before, after;
    double right = 0;
    for (Eigen::Index i = 0; i < ratio.cols(); ++i) {
      const bool truth = worlds.coins(first + w, i) > 0.5;
      const double prior = game.prior[static_cast<std::size_t>(i)];
      right += truth == (ratio(w, i) > 0) ? 1 : 0;
      coin.push_back({ratio(w, i), truth});
      // Fair coins, weighed as if they had been tossed with the odds that x and y give.
      const double weight = 1 / (1 + std::exp(truth ? -prior : prior));
      before.push_back({prior, truth, weight});
      after.push_back({prior + ratio(w, i), truth, weight});
    }
    auc.push_back(weighted_auc(coin));
    advantage.push_back(2 * right / static_cast<double>(ratio.cols()) - 1);
    imputed.push_back(weighted_auc(before));
    combined.push_back(weighted_auc(after));
    gain.push_back(combined.back() - imputed.back());
  }
  return {estimate(auc), estimate(advantage), estimate(imputed), estimate(combined),
          estimate(gain)};
}

constexpr const char* kColumns =
    "data,epsilon,bound,auc,auc_se,advantage,advantage_se,imputed_auc,imputed_auc_se,combined_auc,"
    "combined_auc_se,gain,gain_se";

Status play(const Request& request, std::ostream* csv) {
  DPFERMI_ASSIGN(const Game game, set_up(request));
  fmt::print(
      "{}: {} records to train on, {} targets, {} worlds (half of them shadows), lambda {}\n\n"
      "| ε | bound on the advantage | advantage | AUC | AUC of x, y alone | AUC with the model too "
      "| gain |\n|---|---|---|---|---|---|---|\n",
      request.dataset, request.rows, request.targets, request.worlds, request.lambda);
  for (const double epsilon : request.epsilons) {
    DPFERMI_ASSIGN(const Worlds worlds, run_worlds(request, game, epsilon));
    const auto shadows = static_cast<Eigen::Index>(request.worlds / 2);
    const Score score = judge(game, worlds, attack(worlds, game.inputs, shadows));
    const double bound = std::tanh(epsilon / 2);
    fmt::print(
        "| {} | {:.3f} | {:.3f} ± {:.3f} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} | {:+.4f} ± {:.4f} "
        "|\n",
        epsilon, bound, score.advantage.mean, score.advantage.error, score.auc.mean,
        score.auc.error, score.imputed.mean, score.combined.mean, score.gain.mean,
        score.gain.error);
    std::fflush(stdout);
    if (csv == nullptr) continue;
    *csv << fmt::format("{},{},{}", request.dataset, epsilon, bound);
    for (const Estimate& figure :
         {score.auc, score.advantage, score.imputed, score.combined, score.gain}) {
      *csv << fmt::format(",{},{}", figure.mean, figure.error);
    }
    *csv << '\n';
  }
  return {};
}

Status run(const Request& request) {
  if (request.worlds < 20) return usage_error("--worlds must be at least 20; use more");
  if (request.out.empty()) return play(request, nullptr);
  std::ofstream csv(request.out);
  csv << kColumns << '\n';
  DPFERMI_TRY(play(request, &csv));
  if (!csv.flush()) return failed(request.out + ": cannot be written; choose another place");
  return {};
}

}  // namespace
}  // namespace dpfermi::examples

int main(int argc, char** argv) {
  dpfermi::examples::Request request;
  CLI::App app("How well can the sensitive attribute be guessed from a trained model?");
  app.add_option("--dataset", request.dataset, "census (generated), or a known data set: adult")
      ->capture_default_str();
  app.add_option("--data", request.folder, "Folder of data sets");
  app.add_option("--rows", request.rows, "Records to train on")->capture_default_str();
  app.add_option("--targets", request.targets, "Records under attack")->capture_default_str();
  app.add_option("--worlds", request.worlds, "Models per epsilon")->capture_default_str();
  app.add_option("--lambda", request.lambda, "Weight of the fairness term")->capture_default_str();
  app.add_option("--epsilon", request.epsilons, "Budgets; inf is training without privacy");
  app.add_option("--seed", request.seed, "Of rows, coins and noise")->capture_default_str();
  app.add_option("--threads", request.threads, "Results do not depend on it")
      ->capture_default_str();
  app.add_option("--out", request.out, "CSV file of the plotted numbers");
  CLI11_PARSE(app, argc, argv);
  const dpfermi::Status status = dpfermi::examples::run(request);
  if (status) return 0;
  fmt::print(stderr, "attribute_inference: {}\n", status.error().message);
  return static_cast<int>(status.error().kind);
}
