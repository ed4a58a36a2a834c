#include "experiment/grid.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "dpfermi/methods/registry.h"
#include "experiment/figures.h"

namespace dpfermi {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Grid small_grid() {
  Grid grid{.title = "small", .seed = 7, .splits = 2, .blocks = {}};
  grid.blocks.push_back({.datasets = {"people"},
                         .methods = {"dp-fermi", "fermi", "erm"},
                         .epsilons = {0.5, 1},
                         .lambdas = {0, 2}});
  return grid;
}

TEST(Grid, ExpandsWhatEachMethodTakes) {
  const std::vector<RunSpec> runs = expand(small_grid(), true).value();
  // dp-fermi: 2 epsilons x 2 lambdas; fermi: 2 lambdas; erm: 1; all on 2 splits.
  ASSERT_THAT(runs, SizeIs(2 * (4 + 2 + 1)));
  EXPECT_EQ(run_key(runs[0]),
            "people/honest/demographic-parity/dp-fermi/epsilon=0.5/lambda=0/split=0");
  EXPECT_EQ(run_key(runs.back()), "people/honest/demographic-parity/erm/lambda=0/split=1");
}

TEST(Grid, RunsOfTwoBlocksAreRunOnce) {
  Grid grid = small_grid();
  grid.blocks.push_back(grid.blocks.front());
  EXPECT_THAT(expand(grid, true).value(), SizeIs(14));
}

TEST(Grid, EveryRunHasItsOwnNoise) {
  const std::vector<RunSpec> runs = expand(small_grid(), true).value();
  std::set<std::uint64_t> seeds;
  for (const RunSpec& run : runs) {
    EXPECT_LT(*run.seed, std::uint64_t{1} << 48);
    seeds.insert(*run.seed);
  }
  EXPECT_THAT(seeds, SizeIs(runs.size()));
  const std::vector<RunSpec> secret = expand(small_grid(), false).value();
  for (const RunSpec& run : secret) EXPECT_FALSE(run.seed.has_value());
  Grid other = small_grid();
  other.seed = 8;
  EXPECT_NE(expand(other, true).value()[0].seed, runs[0].seed);
}

TEST(Grid, JsonReadsBack) {
  Grid grid = small_grid();
  grid.blocks[0].targets = {0.05};
  grid.blocks[0].delta = 1e-6;
  grid.blocks[0].hidden = {8, 4};
  grid.blocks[0].protocols = {Protocol::kHonest, Protocol::kAsPublished};
  const std::string json = to_json(grid);
  EXPECT_EQ(to_json(parse_grid(json).value()), json);
  EXPECT_EQ(expand(parse_grid(json).value(), true)->size(), expand(grid, true)->size());
}

TEST(Grid, RefusesGridsThatCannotRun) {
  const auto message = [](auto change) {
    Grid grid = small_grid();
    change(grid);
    const auto runs = expand(grid, true);
    return runs ? std::string() : runs.error().message;
  };
  EXPECT_THAT(message([](Grid& g) { g.blocks.clear(); }), HasSubstr("empty"));
  EXPECT_THAT(message([](Grid& g) { g.splits = 0; }), HasSubstr("empty"));
  EXPECT_THAT(message([](Grid& g) { g.blocks[0].methods = {"magic"}; }), HasSubstr("'magic'"));
  EXPECT_THAT(message([](Grid& g) { g.blocks[0].lambdas = {-1}; }), HasSubstr("-1"));
  EXPECT_THAT(message([](Grid& g) { g.blocks[0].lambdas = {}; }), HasSubstr("needs lambdas"));
  EXPECT_THAT(message([](Grid& g) { g.blocks[0].epsilons = {0}; }), HasSubstr("epsilons"));
  EXPECT_THAT(message([](Grid& g) { g.blocks[0].adjacency = Adjacency::kReplaceRecord; }),
              HasSubstr("public features"));
  EXPECT_THAT(parse_grid(R"({"blocks": [{"dataset": ["adult"]}]})").error().message,
              HasSubstr("did you mean 'datasets'"));
}

TEST(Figures, AllIsEveryFigureOfThePaper) {
  EXPECT_THAT(figure_names(), SizeIs(9));
  EXPECT_THAT(paper_figures(), SizeIs(7));
  EXPECT_THAT(paper_figures(), Contains("adult-dp"));
  std::size_t runs = 0;
  for (const std::string& name : paper_figures()) {
    Grid grid = figure_grid(name).value();
    grid.splits = 1;
    runs += expand(grid, true)->size();
  }
  Grid all = figure_grid("all").value();
  all.splits = 1;
  EXPECT_EQ(expand(all, true)->size(), runs);
  EXPECT_THAT(figure_grid("adult").error().message, HasSubstr("adult-dp"));
}

TEST(Figures, ThatCompareOtherGroupsAreNotJoined) {
  const std::string both = fmt::format("{},{}", paper_figures().front(), kUnseen);
  EXPECT_THAT(figure_grid(both).error().message, HasSubstr("one at a time"));
}

TEST(Figures, UnseenRunsOthersOnFewerSplits) {
  const Grid grid = figure_grid(kUnseen).value();
  std::map<std::string, std::uint32_t> most;
  const auto runs = expand(grid, true);
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  for (const RunSpec& run : *runs) {
    most[run.method] = std::max(most[run.method], run.split + 1);
    EXPECT_EQ(run.least_group, 300U) << run_key(run);
  }
  const std::map<std::string, std::uint32_t> splits = {
      {"auto", 10}, {"dp-fermi", 10},  {"sketch", 10}, {"fermi", 10},
      {"coin", 10}, {"reductions", 5}, {"pf-ld", 5},   {"sf-pate-s", 5}};
  EXPECT_EQ(most, splits);
}

// The free line is the same whatever weights a block gives to others.
TEST(Grid, CoinHasItsOwnShares) {
  const Grid grid = parse_grid(R"({"splits": 1, "blocks": [{"datasets": ["adult"],
      "methods": ["fermi", "coin"], "lambdas": [5, 7]}]})")
                        .value();
  std::vector<double> shares;
  const auto runs = expand(grid, true);
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  for (const RunSpec& run : *runs) {
    if (run.method == "coin") shares.push_back(*run.lambda);
  }
  EXPECT_THAT(shares, testing::ElementsAre(0, 0.5, 1));
}

// Seven weights or more for every method that has any, so that each is a curve; five for the
// slowest.
TEST(Figures, EveryMethodIsACurve) {
  const Grid all = figure_grid("all").value();
  for (const GridBlock& block : all.blocks) {
    const std::size_t least = block.methods[0] == "sketch" ? 5 : 7;
    EXPECT_GE(block.lambdas.size() + block.targets.size(), least) << block.methods[0];
  }
}

// A panel with a baseline that cannot be moved along a curve says little about it.
TEST(Figures, EveryBaselineThatFitsIsInEveryPanel) {
  for (const std::string& name : paper_figures()) {
    Grid grid = figure_grid(name).value();
    add_baselines(grid);
    const FairnessNotion notion = grid.blocks[0].notions[0];
    for (const Method method : baselines()) {
      const MethodDescriptor& baseline = method.descriptor();
      const auto found = std::ranges::find_if(grid.blocks, [&](const GridBlock& block) {
        return block.methods == std::vector{std::string(baseline.name)};
      });
      const bool applies = baseline.knows(notion);
      ASSERT_EQ(found != grid.blocks.end(), applies) << name << ", " << baseline.name;
      if (!applies || baseline.knob == Knob::kNone) continue;
      EXPECT_GE(found->lambdas.size() + found->targets.size(), 3U) << baseline.name;
    }
    EXPECT_TRUE(expand(grid, true).has_value()) << name;
  }
}

TEST(Figures, CanBeLimitedToOneProtocol) {
  Grid grid = figure_grid("adult-dp,credit-card-eo").value();
  keep_protocol(grid, Protocol::kHonest);
  for (const GridBlock& block : grid.blocks) {
    EXPECT_THAT(block.protocols, testing::ElementsAre(Protocol::kHonest));
  }
  EXPECT_THAT(grid.title, HasSubstr("credit-card-eo"));
  EXPECT_THAT(figure_grid("adult-dp,adult").error().message, HasSubstr("'adult'"));
}

}  // namespace
}  // namespace dpfermi
