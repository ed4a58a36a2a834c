// The whole way of a release on data that is made on the spot: table, split, encoding, calibration,
// ledger, noise.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli.h"
#include "dpfermi/core/text.h"
#include "dpfermi/data/census.h"
#include "dpfermi/data/split.h"
#include "dpfermi/data/table_reader.h"
#include "dpfermi/preprocess/pipeline.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/ledger/run_ledger.h"
#include "dpfermi/privacy/mechanism/counts_privatizer.h"
#include "event_options.h"
#include "text_table.h"

namespace dpfermi::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kEpsilon = 0.5;
constexpr double kDelta = 1e-6;
constexpr Adjacency kAdjacency = Adjacency::kSensitive;

/// A folder of its own that goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder() : path_(fs::temp_directory_path() / fmt::format("dpfermi-demo-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<Table> make_census(const CensusSpec& spec) {
  std::ostringstream csv;
  DPFERMI_TRY(write_census(spec, csv));
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("synthetic census", std::move(csv).str()));
  return read_table(std::move(sources), census_schema(spec));
}

/// Rows by (group, class), with noise: calibrated to the budget, charged, then drawn.
struct PrivateCounts {
  NoisyCounts counts;
  PrivacyCost cost;
};

Result<PrivateCounts> release_counts(const Dataset& data) {
  const EventFamily family = [](double sigma) { return counts_event(kAdjacency, sigma); };
  DPFERMI_ASSIGN(const Calibrated noise, calibrate_noise(family, 0.999 * kEpsilon, kDelta));
  DPFERMI_ASSIGN(const PrivacyEvent event, counts_event(kAdjacency, noise.value));
  DPFERMI_ASSIGN(const Charge charge, priced_charge("rows by group and label", event, 1, kDelta));

  const ScratchFolder scratch;
  DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open_or_create(scratch.path() / "ledger.db"));
  DPFERMI_ASSIGN(RunLedger ledger, RunLedger::start(std::move(file), {"demo", kAdjacency, ""}));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.charge(charge));

  DPFERMI_ASSIGN(SecretKey key, SecretKey::from_os());
  NoiseSource source(std::move(key));
  DPFERMI_ASSIGN(NoiseLane lane, source.open(Purpose::kCountsNoise));
  DPFERMI_ASSIGN(
      CountsPrivatizer privatizer,
      CountsPrivatizer::create(kAdjacency, noise.value, std::move(permit), std::move(lane)));
  const auto cell_of = [&](const std::vector<std::uint16_t>& groups, std::uint32_t row) {
    return groups[row] * data.classes + data.y[row];
  };
  DPFERMI_ASSIGN(NoisyCounts counts,
                 privatizer.release(data.s, static_cast<std::uint32_t>(data.rows()),
                                    data.groups * data.classes, cell_of));
  DPFERMI_TRY(ledger.commit());
  return PrivateCounts{std::move(counts), charge.cost};
}

struct GroupRate {
  double favourable;
  double rows;
  double half_width;  ///< of a 95 % interval, from the noise alone
  double rate() const { return favourable / std::max(rows, 1.0); }
};

std::vector<GroupRate> group_rates(const PrivateCounts& released, const Dataset& data,
                                   std::size_t positive) {
  std::vector<GroupRate> rates;
  for (std::size_t r = 0; r < data.groups; ++r) {
    GroupRate rate{0, 0, 0};
    for (std::size_t c = 0; c < data.classes; ++c) {
      const auto count = static_cast<double>(released.counts.values()[r * data.classes + c]);
      rate.rows += count;
      if (c == positive) rate.favourable = count;
    }
    rate.half_width = 1.96 * released.counts.sigma() / std::max(rate.rows, 1.0);
    rates.push_back(rate);
  }
  return rates;
}

void print_for_people(const Table& table, const EncodedDataset& train, std::size_t test_rows,
                      const PrivateCounts& released, const std::vector<GroupRate>& rates) {
  Context::print(fmt::format(
      "A synthetic census of {} persons, made on the spot (dpfermi datasets generate).\n"
      "{} are for training, {} for testing; {} input columns. Predicted: {}. Protected: {}.\n\n",
      with_thousands(table.rows), with_thousands(train.data.rows()), with_thousands(test_rows),
      train.data.x.columns(), table.schema.target.column, table.schema.sensitive[0].column));
  TextTable text({"group", "rows (noisy)", "favourable label (noisy)", "95 % interval"});
  for (std::size_t r = 0; r < rates.size(); ++r) {
    text.add({table.domain.names()[r], fmt::format("{:.0f}", rates[r].rows),
              fmt::format("{:.2f} %", 100 * rates[r].rate()),
              fmt::format("+- {:.2f} %", 100 * rates[r].half_width)});
  }
  Context::print(text.to_string());
  Context::print(
      fmt::format("\nPrivacy: epsilon {}, delta {:g}, adjacency {}: {}.\n"
                  "Noise: discrete Gaussian, sigma {:.2f} rows, key from the operating system. The "
                  "charge was in a "
                  "ledger\nbefore the data was read; run it again and the noise is different.\n",
                  upper_text(released.cost.epsilon), released.cost.delta, to_string(kAdjacency),
                  describe(kAdjacency), released.counts.sigma()));
}

void print_json(const Table& table, const EncodedDataset& train, std::size_t test_rows,
                const PrivateCounts& released, const std::vector<GroupRate>& rates) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < rates.size(); ++r) {
    groups.push_back({{"group", table.domain.names()[r]},
                      {"rows", rates[r].rows},
                      {"favourable_rate", rates[r].rate()},
                      {"half_width_95", rates[r].half_width}});
  }
  const nlohmann::ordered_json json = {{"rows", table.rows},
                                       {"train_rows", train.data.rows()},
                                       {"test_rows", test_rows},
                                       {"input_columns", train.data.x.columns()},
                                       {"groups", groups},
                                       {"privacy",
                                        {{"epsilon", released.cost.epsilon},
                                         {"delta", released.cost.delta},
                                         {"adjacency", to_string(kAdjacency)},
                                         {"noise", to_string(released.counts.reproducibility())},
                                         {"sigma", released.counts.sigma()}}}};
  Context::print(json.dump(2) + "\n");
}

Status demo(const Context& context) {
  DPFERMI_ASSIGN(const Table table, make_census({}));
  DPFERMI_ASSIGN(const Split split, split_rows(split_blocks(table, {}), 0.25, 1));
  DPFERMI_ASSIGN(const Pipeline pipeline, Pipeline::fit(table, split.train));
  DPFERMI_ASSIGN(const EncodedDataset train, pipeline.apply(table, split.train));
  DPFERMI_ASSIGN(const PrivateCounts released, release_counts(train.data));
  const auto rates = group_rates(released, train.data, table.labels.positive);
  const auto print = context.json ? print_json : print_for_people;
  print(table, train, split.test.size(), released, rates);
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  add_verb(app, context, "demo", "Walk through the tool on an embedded synthetic census",
           "  dpfermi demo\n  dpfermi demo --json", [&context] { return demo(context); });
}

}  // namespace dpfermi::cli
