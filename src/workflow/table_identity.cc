#include "workflow/table_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "data/csv_reader.h"

namespace dpfermi {
namespace {

Result<std::string> read_all(const std::string& path) {
  DPFERMI_ASSIGN(const auto source, open_source(path));
  std::string text;
  std::vector<char> block(std::size_t{1} << 20);
  while (true) {
    DPFERMI_ASSIGN(const std::size_t bytes, source->read(block));
    if (bytes == 0) return text;
    text.append(block.data(), bytes);
  }
}

/// The chosen fields of a record, framed by their lengths.
void add_record(const std::vector<std::string_view>& fields, const std::vector<std::size_t>& chosen,
                std::string& record, Fingerprinter& fingerprinter) {
  record.clear();
  for (const std::size_t field : chosen) {
    fmt::format_to(std::back_inserter(record), "{}:{}", fields[field].size(), fields[field]);
  }
  fingerprinter.add_value(record);
}

/// What tells one set of people from another, and how it is written.
struct Identity {
  std::vector<std::unique_ptr<ByteSource>> sources;
  CsvFormat format;
  HeaderHint hint;
};

/// The file that holds the protected columns, where it is one of its own and can be read again:
/// whatever public columns it is joined to, the people are the same.
Result<Identity> identity_of(const RereadableFiles& files, const Table& table) {
  const Schema& schema = table.schema;
  Identity identity{{}, schema.format, {}};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(schema.sensitive_file, ignored)) {
    identity.format.names.clear();
    identity.format.header = HeaderRule::kYes;
    identity.format.delimiter.reset();
    DPFERMI_ASSIGN(auto source, open_source(schema.sensitive_file));
    identity.sources.push_back(std::move(source));
    return identity;
  }
  // Whether the first line is a header is known by now: it is one if it holds a feature's name.
  identity.hint = {{schema.target.column}, true};
  for (const Column& column : table.features) identity.hint.expected.push_back(column.name);
  DPFERMI_ASSIGN(identity.sources, files.open());
  return identity;
}

}  // namespace

Result<RereadableFiles> RereadableFiles::create(const std::vector<std::string>& files) {
  RereadableFiles all;
  for (const std::string& path : files) {
    std::error_code ignored;
    Entry entry{path, std::nullopt};
    if (path == "-" || (std::filesystem::exists(path, ignored) &&
                        !std::filesystem::is_regular_file(path, ignored))) {
      DPFERMI_ASSIGN(entry.text, read_all(path));
    }
    all.entries_.push_back(std::move(entry));
  }
  return all;
}

Result<std::vector<std::unique_ptr<ByteSource>>> RereadableFiles::open() const {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const Entry& entry : entries_) {
    if (entry.text) {
      sources.push_back(
          memory_source(entry.path == "-" ? "standard input" : entry.path, *entry.text));
      continue;
    }
    DPFERMI_ASSIGN(auto source, open_source(entry.path));
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::string> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger) {
  const Schema& schema = table.schema;
  // Always the keyed one: see the header. The adjacency keeps budgets of different promises apart.
  DPFERMI_ASSIGN(Fingerprinter fingerprinter, ledger.fingerprinter(Adjacency::kReplaceRecord));
  fingerprinter.add_value(to_string(schema.adjacency));
  // So does the unit: a promise to persons and one to records do not add up.
  if (!schema.id.empty()) fingerprinter.add_value("persons by " + schema.id);
  DPFERMI_ASSIGN(Identity identity, identity_of(files, table));
  std::string record;
  for (auto& source : identity.sources) {
    DPFERMI_ASSIGN(CsvReader reader,
                   CsvReader::open(std::move(source), identity.format, identity.hint));
    identity.format.names = reader.names();
    std::vector<std::size_t> chosen;
    for (std::size_t field = 0; field < reader.names().size(); ++field) {
      const std::string& name = reader.names()[field];
      // Where s alone is protected, people stay the same whatever is said about their s. Where
      // records are, they stay the same whichever column is called s.
      if (features_are_public(schema.adjacency) &&
          std::ranges::find(schema.sensitive, name, &SensitiveSpec::column) !=
              schema.sensitive.end()) {
        continue;
      }
      fingerprinter.begin_column(name);
      chosen.push_back(field);
    }
    while (true) {
      DPFERMI_ASSIGN(const bool more, reader.next());
      if (!more) break;
      add_record(reader.fields(), chosen, record, fingerprinter);
    }
  }
  return fingerprinter.finish();
}

}  // namespace dpfermi
