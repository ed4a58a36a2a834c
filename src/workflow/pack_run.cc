#include "workflow/pack_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/text.h"
#include "workflow/load.h"
#include "workflow/output_file.h"

namespace dpfermi {
namespace {

/// The same table with its protected columns left out, where it has them.
Result<TableChoice> without_protected(TableChoice choice) {
  Schema& schema = choice.request.schema;
  if (!features_are_public(schema.adjacency)) {
    return usage_error(fmt::format(
        "under {} records are protected, with or without groups; leave out `without_sensitive`",
        to_string(schema.adjacency)));
  }
  schema.sensitive_file.clear();
  schema.join.clear();
  DPFERMI_ASSIGN(const std::vector<std::string> names, read_column_names(choice.request));
  for (const SensitiveSpec& spec : schema.sensitive) {
    if (contains(names, spec.column)) schema.drop.push_back(spec.column);
    schema.columns.erase(spec.column);
  }
  schema.sensitive.clear();
  return choice;
}

Status check_pack_job(const PackJob& job) {
  const Schema& schema = job.choice.request.schema;
  DPFERMI_TRY(check_writable(job.out, "out", job.choice.inputs()));
  if (schema.target.column.empty()) return usage_error("name the column to predict with `target`");
  if (contains(job.choice.request.files, "-") || schema.sensitive_file == "-") {
    return usage_error("a table that is packed is read more than once; save it to a file first");
  }
  if (!job.without_sensitive && schema.sensitive.empty()) {
    return usage_error(
        "name the protected columns with `sensitive`, or leave them out with `without_sensitive`");
  }
  return check_groups_declared(schema);
}

}  // namespace

Result<PackOutcome> pack_table(const PackJob& job) {
  DPFERMI_TRY(check_pack_job(job));
  TableChoice choice = job.choice;
  if (job.without_sensitive) {
    DPFERMI_ASSIGN(choice, without_protected(std::move(choice)));
  }
  DPFERMI_ASSIGN(PreparedData data, prepare_data(choice, job.split));
  TablePack pack;
  pack.title = choice.title;
  pack.pipeline = std::move(data.pipeline);
  pack.split = job.split;
  if (!job.without_sensitive) {
    DPFERMI_ASSIGN(pack.digests, plain_digests(data.files, data.table));
  }
  pack.train = std::move(data.train);
  pack.test = std::move(data.test);
  pack.table = std::move(data.table);
  DPFERMI_TRY(write_pack(pack, job.out));
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(job.out, unknown);
  return PackOutcome{pack.train.rows(), pack.test ? pack.test->rows() : 0, pack.pipeline.columns(),
                     unknown ? 0 : bytes, pack.train.groups > 0};
}

Result<TableChoice> packed_choice(const std::string& path) {
  DPFERMI_ASSIGN(TablePack pack, open_pack(path));
  TableChoice choice;
  choice.request.files = {path};
  choice.request.schema = pack.table.schema;
  choice.title = pack.title;
  choice.pack = std::make_shared<const TablePack>(std::move(pack));
  return choice;
}

Status settle_split(const TableChoice& choice, const SplitChoice& usual, SplitChoice& split) {
  if (choice.pack == nullptr) return {};
  if (split != usual && split != choice.pack->split) {
    return usage_error(
        "a pack is encoded as its training rows are, so that its split is settled; leave out "
        "`test_fraction` and `split_seed`, or pack the table with them");
  }
  split = choice.pack->split;
  return {};
}

}  // namespace dpfermi
