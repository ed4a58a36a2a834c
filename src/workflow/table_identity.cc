#include "workflow/table_identity.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "data/checksum.h"
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

/// A file whose bytes must be those of the first reading, if there was one.
class SteadySource final : public ByteSource {
 public:
  SteadySource(std::unique_ptr<ByteSource> file, std::shared_ptr<std::string> digest)
      : ByteSource(file->name()), file_(std::move(file)), digest_(std::move(digest)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    DPFERMI_ASSIGN(const std::size_t bytes, file_->read(buffer));
    if (ended_) return bytes;
    if (bytes > 0) {
      sum_.add({buffer.data(), bytes});
      return bytes;
    }
    ended_ = true;
    DPFERMI_ASSIGN(const std::string now, sum_.finish());
    if (digest_->empty()) *digest_ = now;
    if (*digest_ == now) return bytes;
    return failed(fmt::format("{}: has changed since it was read; load it again", name()));
  }

  std::size_t size_hint() const override { return file_->size_hint(); }

 private:
  std::unique_ptr<ByteSource> file_;
  std::shared_ptr<std::string> digest_;
  Sha256 sum_;
  bool ended_ = false;
};

/// The digest of a table as it is under one adjacency.
class IdentityDigest {
 public:
  static Result<IdentityDigest> start(const Schema& schema, Adjacency adjacency,
                                      const LedgerFile& ledger) {
    // Always the keyed one: see the header. The adjacency keeps budgets of different promises
    // apart, and so does the unit: a promise to persons and one to records do not add up.
    DPFERMI_ASSIGN(Fingerprinter fingerprinter, ledger.fingerprinter(Adjacency::kReplaceRecord));
    fingerprinter.add_value(to_string(adjacency));
    if (!schema.id.empty()) fingerprinter.add_value("persons by " + schema.id);
    return IdentityDigest(adjacency, std::move(fingerprinter));
  }

  void begin_file(const Schema& schema, const std::vector<std::string>& names) {
    chosen_.clear();
    for (std::size_t field = 0; field < names.size(); ++field) {
      // Where s alone is protected, people stay the same whatever is said about their s. Where
      // records are, they stay the same whichever column is called s.
      if (features_are_public(adjacency_) &&
          std::ranges::find(schema.sensitive, names[field], &SensitiveSpec::column) !=
              schema.sensitive.end()) {
        continue;
      }
      // Nor do they change with what a model says about them.
      if (contains(schema.scores, names[field])) continue;
      fingerprinter_.begin_column(names[field]);
      chosen_.push_back(field);
    }
  }

  /// The chosen fields of a record, framed by their lengths.
  void add(const std::vector<std::string_view>& fields) {
    record_.clear();
    for (const std::size_t field : chosen_) {
      fmt::format_to(std::back_inserter(record_), FMT_COMPILE("{}:"), fields[field].size());
      record_.append(fields[field]);
    }
    fingerprinter_.add_value(record_);
  }

  Result<std::string> finish() { return fingerprinter_.finish(); }

 private:
  IdentityDigest(Adjacency adjacency, Fingerprinter fingerprinter)
      : adjacency_(adjacency), fingerprinter_(std::move(fingerprinter)) {}

  Adjacency adjacency_;
  Fingerprinter fingerprinter_;
  std::vector<std::size_t> chosen_;
  std::string record_;
};

Status add_records(RecordReader& reader, const Schema& schema,
                   std::vector<IdentityDigest>& digests) {
  for (IdentityDigest& digest : digests) digest.begin_file(schema, reader.names());
  while (true) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) return {};
    for (IdentityDigest& digest : digests) digest.add(reader.fields());
  }
}

/// What tells one set of people from another, and how it is written.
struct Identity {
  std::vector<std::unique_ptr<ByteSource>> sources;
  const MemoryTable* memory = nullptr;  ///< in place of sources
  CsvFormat format;
  HeaderHint hint;
};

/// The file that holds the protected columns, where it is one of its own and can be read again:
/// whatever public columns it is joined to, the people are the same.
Result<Identity> identity_of(const RereadableFiles& files, const Table& table) {
  const Schema& schema = table.schema;
  Identity identity{{}, nullptr, schema.format, {}};
  DPFERMI_ASSIGN(auto source, files.open_sensitive());
  if (source != nullptr) {
    identity.format.names.clear();
    identity.format.header = HeaderRule::kYes;
    identity.format.delimiter.reset();
    identity.sources.push_back(std::move(source));
    return identity;
  }
  identity.memory = files.memory();
  if (identity.memory != nullptr) return identity;
  // Whether the first line is a header is known by now: it is one if it holds a feature's name.
  // Names that appear twice are told apart as the schema expects them, dropped columns included.
  identity.hint = {schema.drop, true};
  identity.hint.expected.push_back(schema.target.column);
  for (const Column& column : table.features) identity.hint.expected.push_back(column.name);
  DPFERMI_ASSIGN(identity.sources, files.open());
  return identity;
}

}  // namespace

Result<RereadableFiles> RereadableFiles::create(const TableRequest& request) {
  RereadableFiles all;
  all.memory_ = request.memory;
  std::error_code ignored;
  for (const std::string& path : request.files) {
    Entry entry{path, std::nullopt, std::make_shared<std::string>()};
    if (path == "-" || (std::filesystem::exists(path, ignored) &&
                        !std::filesystem::is_regular_file(path, ignored))) {
      DPFERMI_ASSIGN(entry.text, read_all(path));
    }
    all.entries_.push_back(std::move(entry));
  }
  const std::string& sensitive = request.schema.sensitive_file;
  if (std::filesystem::is_regular_file(sensitive, ignored)) {
    all.sensitive_ = Entry{sensitive, std::nullopt, std::make_shared<std::string>()};
  }
  return all;
}

Result<std::unique_ptr<ByteSource>> RereadableFiles::Entry::open() const {
  if (text) return memory_source(path == "-" ? "standard input" : path, *text);
  DPFERMI_ASSIGN(auto file, open_source(path));
  return std::make_unique<SteadySource>(std::move(file), digest);
}

Result<std::vector<std::unique_ptr<ByteSource>>> RereadableFiles::open() const {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const Entry& entry : entries_) {
    DPFERMI_ASSIGN(auto source, entry.open());
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::unique_ptr<ByteSource>> RereadableFiles::open_sensitive() const {
  if (!sensitive_) return nullptr;
  return sensitive_->open();
}

Result<Table> RereadableFiles::read(const Schema& schema, TableUse use) const {
  DPFERMI_ASSIGN(auto sensitive, open_sensitive());
  if (memory_) return read_table(*memory_, schema, use, std::move(sensitive));
  DPFERMI_ASSIGN(auto sources, open());
  return read_table(std::move(sources), schema, use, std::move(sensitive));
}

Result<DataDigests> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger) {
  const Schema& schema = table.schema;
  std::vector<IdentityDigest> digests;
  for (const Adjacency adjacency :
       {Adjacency::kAddRemoveRecord, Adjacency::kReplaceRecord, Adjacency::kSensitive}) {
    if (digests.empty() && adjacency != schema.adjacency) continue;
    DPFERMI_ASSIGN(IdentityDigest digest, IdentityDigest::start(schema, adjacency, ledger));
    digests.push_back(std::move(digest));
  }
  DPFERMI_ASSIGN(Identity identity, identity_of(files, table));
  if (identity.memory != nullptr) {
    MemoryReader reader(*identity.memory);
    DPFERMI_TRY(add_records(reader, schema, digests));
  }
  for (auto& source : identity.sources) {
    DPFERMI_ASSIGN(CsvReader reader,
                   CsvReader::open(std::move(source), identity.format, identity.hint));
    identity.format.names = reader.names();
    DPFERMI_TRY(add_records(reader, schema, digests));
  }
  DataDigests all;
  DPFERMI_ASSIGN(all.fingerprint, digests.front().finish());
  for (std::size_t i = 1; i < digests.size(); ++i) {
    DPFERMI_ASSIGN(std::string relative, digests[i].finish());
    all.relatives.push_back(std::move(relative));
  }
  return all;
}

}  // namespace dpfermi
