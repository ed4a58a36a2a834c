#include "prepared_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli.h"
#include "dpfermi/core/text.h"

namespace dpfermi::cli {
namespace {

Status check_choice(const TableChoice& choice, const SplitChoice& split) {
  const Schema& schema = choice.request.schema;
  if (!schema.image.empty()) {
    return usage_error("this data set is made of images; add --model vgg9 to 'dpfermi train'");
  }
  DPFERMI_TRY(check_split(split, schema.adjacency));
  if (schema.sensitive_file == "-" && contains(choice.request.files, "-")) {
    return usage_error("standard input can be read once; give one of the files a name");
  }
  return {};
}

Result<Split> split_table(const Table& table, SplitRule rule, const SplitChoice& choice) {
  const double fraction = choice.fraction(table.schema.adjacency);
  if (fraction == 0) {
    Split all;
    all.train.resize(table.rows);
    std::iota(all.train.begin(), all.train.end(), 0U);
    return all;
  }
  return split_rows(split_blocks(table, rule), fraction, choice.seed);
}

}  // namespace

void SplitChoice::add_to(CLI::App& verb, const std::string& fraction_help) {
  const std::string where = "Test rows";
  verb.add_option("--test-fraction", test_fraction, fraction_help)->group(where);
  verb.add_option("--split-seed", seed, "Which rows those are")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
}

Status check_split(const SplitChoice& split, Adjacency adjacency) {
  const double fraction = split.fraction(adjacency);
  if (!(fraction >= 0 && fraction < 1)) {
    return usage_error(
        fmt::format("--test-fraction must be at least 0 and below 1, not {}", fraction));
  }
  if (fraction > 0 && !features_are_public(adjacency)) {
    return usage_error(fmt::format(
        "under {} one record would change which others are held out; leave out --test-fraction and "
        "evaluate on a file of its own",
        to_string(adjacency)));
  }
  return {};
}

Result<PreparedData> prepare_data(const TableChoice& choice, const SplitChoice& split_choice) {
  DPFERMI_TRY(check_choice(choice, split_choice));
  DPFERMI_ASSIGN(RereadableFiles files, RereadableFiles::create(choice.request.files));
  DPFERMI_ASSIGN(auto sources, files.open());
  DPFERMI_ASSIGN(Table table, read_table(std::move(sources), choice.request.schema));
  DPFERMI_TRY(check_complete(table));
  DPFERMI_ASSIGN(const Split split, split_table(table, choice.split, split_choice));
  DPFERMI_ASSIGN(Pipeline pipeline, Pipeline::fit(table, split.train));
  DPFERMI_ASSIGN(EncodedDataset train, pipeline.apply(table, split.train));
  std::optional<Dataset> test;
  if (!split.test.empty()) {
    DPFERMI_ASSIGN(EncodedDataset encoded, pipeline.apply(table, split.test));
    test = std::move(encoded.data);
  }
  return PreparedData{std::move(files), std::move(table), std::move(pipeline),
                      std::move(train.data), std::move(test)};
}

Status check_complete(const Table& table) {
  if (table.schema.adjacency != Adjacency::kReplaceRecord || table.rows_dropped == 0) return {};
  return failed(fmt::format(
      "{} rows have no target or a missing value and would be left out, but under replace-record "
      "their number is taken for public; complete or remove them, or use adjacency "
      "add-remove-record with --units",
      with_thousands(table.rows_dropped)));
}

std::optional<double> declared_norm(const Pipeline& pipeline) {
  double square = 1;
  for (const NumericFeature& feature : pipeline.numeric()) {
    const Standardizer& z = feature.standardizer;
    if (!z.bounds) return std::nullopt;
    const double low = (z.bounds->first - z.centre) / z.scale;
    const double high = (z.bounds->second - z.centre) / z.scale;
    double largest = std::max(low * low, high * high);
    // A missing number is 0 and has an indicator of 1 instead.
    if (feature.missing_indicator) largest = std::max(largest, 1.0);
    square += largest;
  }
  return std::sqrt(square + static_cast<double>(pipeline.categories().size()));
}

}  // namespace dpfermi::cli
