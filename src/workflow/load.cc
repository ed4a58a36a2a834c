#include "workflow/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "artifact/table_pack.h"
#include "core/text.h"

namespace dpfermi {
namespace {

Status check_choice(const TableChoice& choice, const SplitChoice& split) {
  const Schema& schema = choice.request.schema;
  if (!schema.image.empty()) {
    return usage_error(
        "this data set is made of images; add `shape.model` vgg9 to 'dpfermi train'");
  }
  DPFERMI_TRY(check_split(split, schema.adjacency));
  if (schema.sensitive_file == "-" && contains(choice.request.files, "-")) {
    return usage_error("standard input can be read once; give one of the files a name");
  }
  return {};
}

/// What was read, split and encoded before.
Result<PreparedData> packed_data(const TablePack& pack, const std::vector<std::string>& files,
                                 const SplitChoice& split, const Pipeline* pipeline) {
  const Adjacency adjacency = pack.table.schema.adjacency;
  if (split.fraction(adjacency) != pack.split.fraction(adjacency) ||
      split.seed != pack.split.seed) {
    return usage_error(fmt::format(
        "{}: was packed with another split; leave out `test_fraction` and `split_seed`, or pack "
        "the table with them",
        fmt::join(files, ", ")));
  }
  if (pipeline != nullptr && to_json(*pipeline) != to_json(pack.pipeline)) {
    return usage_error(fmt::format(
        "{}: its rows are encoded otherwise than the sketch needs; name the table that it was made "
        "of",
        fmt::join(files, ", ")));
  }
  return PreparedData{RereadableFiles::of_pack(pack.digests), pack.table, pack.pipeline, pack.train,
                      pack.test};
}

}  // namespace

Result<EncodedSplit> encode_split(const Table& table, const Split& split) {
  DPFERMI_ASSIGN(const Pipeline pipeline, Pipeline::fit(table, split.train));
  return encode_split(table, split, pipeline);
}

Result<EncodedSplit> encode_split(const Table& table, const Split& split,
                                  const Pipeline& pipeline) {
  DPFERMI_ASSIGN(EncodedDataset train, pipeline.apply(table, split.train));
  std::optional<Dataset> test;
  if (!split.test.empty()) {
    DPFERMI_ASSIGN(EncodedDataset encoded, pipeline.apply(table, split.test));
    test = std::move(encoded.data);
  }
  return EncodedSplit{pipeline, std::move(train.data), std::move(test)};
}

Result<PreparedData> prepare_data(const TableChoice& choice, const SplitChoice& split_choice,
                                  const Pipeline* pipeline, Team& team) {
  if (choice.pack != nullptr) {
    return packed_data(*choice.pack, choice.request.files, split_choice, pipeline);
  }
  DPFERMI_TRY(check_choice(choice, split_choice));
  const Schema& schema = choice.request.schema;
  DPFERMI_ASSIGN(RereadableFiles files, RereadableFiles::create(choice.request, team));
  DPFERMI_ASSIGN(Table table, files.read(schema, choice.request.use));
  DPFERMI_TRY(check_complete(table));
  DPFERMI_ASSIGN(const Split split, split_table(table, choice.split, split_choice));
  DPFERMI_ASSIGN(EncodedSplit encoded, pipeline != nullptr ? encode_split(table, split, *pipeline)
                                                           : encode_split(table, split));
  return PreparedData{std::move(files), std::move(table), std::move(encoded.pipeline),
                      std::move(encoded.train), std::move(encoded.test)};
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

}  // namespace dpfermi
