#include "workflow/table_identity.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/text.h"
#include "data/block_reader.h"
#include "data/canonical_text.h"
#include "data/checksum.h"
#include "privacy/ledger/budget_fingerprint.h"

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

/// Standard input, pipes and devices.
bool is_read_once(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return path == "-" ||
         (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
          !std::filesystem::is_directory(status));
}

/// Ends a reading: the digest must be that of the first one, if there was one.
Status check_steady(const std::string& now, std::string& digest, const std::string& name) {
  if (digest.empty()) digest = now;
  if (digest == now) return {};
  return failed(fmt::format("{}: has changed since it was read; load it again", name));
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
    DPFERMI_TRY(check_steady(now, *digest_, name()));
    return bytes;
  }

  std::size_t size_hint() const override { return file_->size_hint(); }

 private:
  std::unique_ptr<ByteSource> file_;
  std::shared_ptr<std::string> digest_;
  Sha256 sum_;
  bool ended_ = false;
};

/// The same for records or blocks, of which it says what the reader behind it says.
template <class Reader>
class SteadyTable : public Reader {
 public:
  SteadyTable(std::unique_ptr<RecordReader> records, std::shared_ptr<std::string> digest)
      : records_(std::move(records)), digest_(std::move(digest)) {}

  const std::vector<std::string>& names() const override { return records_->names(); }
  const std::string& source_name() const override { return records_->source_name(); }
  std::vector<ColumnKind> kinds() const override { return records_->kinds(); }
  std::vector<std::string> ordered_by() const override { return records_->ordered_by(); }
  std::size_t estimated_rows(std::size_t seen, std::size_t bytes) const override {
    return records_->estimated_rows(seen, bytes);
  }
  std::string place(std::uint64_t position) const override { return records_->place(position); }

 protected:
  /// Ensures: what was read is what was read before.
  Status check(Sha256& sum) const {
    DPFERMI_ASSIGN(const std::string now, sum.finish());
    return check_steady(now, *digest_, source_name());
  }

  std::unique_ptr<RecordReader> records_;

 private:
  std::shared_ptr<std::string> digest_;
};

class SteadyReader final : public SteadyTable<RecordReader> {
 public:
  using SteadyTable::SteadyTable;

  const std::vector<std::string_view>& fields() const override { return records_->fields(); }
  std::uint64_t position() const override { return records_->position(); }

  Result<bool> next() override {
    DPFERMI_ASSIGN(const bool more, records_->next());
    if (more) {
      add_record();
      return true;
    }
    if (std::exchange(ended_, true)) return false;
    sum_.add(pending_);
    DPFERMI_TRY(check(sum_));
    return false;
  }

 private:
  void add_record() {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    for (const std::string_view field : records_->fields()) {
      const std::size_t length = field.size();
      pending_.append(reinterpret_cast<const char*>(&length), sizeof length);
      pending_.append(field);
    }
    if (pending_.size() < kPiece) return;
    sum_.add(pending_);
    pending_.clear();
  }

  Sha256 sum_;
  std::string pending_;
  bool ended_ = false;
};

/// Every column has its own sum: where blocks end does not count.
class SteadyBlocks final : public SteadyTable<BlockReader> {
 public:
  SteadyBlocks(std::unique_ptr<RecordReader> records, std::shared_ptr<std::string> digest)
      : SteadyTable(std::move(records), std::move(digest)), columns_(records_->names().size()) {}

  Result<const RecordBlock*> next_block() override {
    DPFERMI_ASSIGN(const RecordBlock* const block, records_->blocks()->next_block());
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].add(block->columns[c]);
    if (block->rows > 0 || std::exchange(ended_, true)) return block;
    Sha256 all;
    for (ColumnSum& column : columns_) {
      DPFERMI_ASSIGN(const std::string sum, column.finish());
      all.add(sum);
    }
    DPFERMI_TRY(check(all));
    return block;
  }

 private:
  class ColumnSum {
   public:
    void add(const ColumnBlock& column) {
      column.integers.empty() ? add_bytes(column.numbers) : add_bytes(column.integers);
      add_bytes(column.codes);
      if (column.numeric()) return;
      for (; levels_ < column.levels->size(); ++levels_) {
        const std::string& level = (*column.levels)[levels_];
        texts_.add(fmt::format("{}:", level.size()));
        texts_.add(level);
      }
    }
    Result<std::string> finish() {
      DPFERMI_ASSIGN(const std::string texts, texts_.finish());
      values_.add(texts);
      return values_.finish();
    }

   private:
    template <class Value>
    void add_bytes(std::span<const Value> values) {
      values_.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    Sha256 values_, texts_;
    std::size_t levels_ = 0;
  };

  std::vector<ColumnSum> columns_;
  bool ended_ = false;
};

/// The digest of a table as it is under one adjacency.
class IdentityDigest {
 public:
  /// The adjacency keeps budgets of different promises apart, and so does the unit: a promise to
  /// persons and one to records do not add up.
  IdentityDigest(const Schema& schema, Adjacency adjacency) : adjacency_(adjacency) {
    fingerprinter_.add_value(to_string(adjacency));
    if (!schema.id.empty()) fingerprinter_.add_value("persons by " + schema.id);
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
      const std::string_view text = canonical_text(fields[field], number_);
      fmt::format_to(std::back_inserter(record_), FMT_COMPILE("{}:"), text.size());
      record_.append(text);
    }
    fingerprinter_.add_value(record_);
  }

  Result<std::string> finish() { return fingerprinter_.finish(); }

 private:
  Adjacency adjacency_;
  Fingerprinter fingerprinter_;
  std::vector<std::size_t> chosen_;
  std::string record_;
  std::string number_;
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

/// What distinguishes one set of people from another, and how it is written.
struct Identity {
  std::vector<TableSource> sources;
  CsvFormat format;
  HeaderHint hint;
};

/// The file that holds the protected columns, where it is a separate one and can be read again:
/// whatever public columns it is joined to, the people are the same.
Result<Identity> identity_of(const RereadableFiles& files, const Table& table) {
  const Schema& schema = table.schema;
  Identity identity{{}, schema.format, {}};
  DPFERMI_ASSIGN(auto source, files.open_sensitive());
  if (source) {
    identity.format.names.clear();
    identity.format.header = HeaderRule::kYes;
    identity.format.delimiter.reset();
    identity.sources.push_back(*std::move(source));
    return identity;
  }
  if (files.memory() != nullptr) {
    identity.sources.emplace_back(std::make_unique<MemoryReader>(*files.memory()));
    return identity;
  }
  // Whether the first line is a header is known by now: it is one if it holds a feature's name.
  // Names that appear twice are told apart as the schema expects them, dropped columns included.
  identity.hint = {schema.drop, true};
  identity.hint.expected.push_back(schema.target.column);
  for (const Column& column : table.features) identity.hint.expected.push_back(column.name);
  DPFERMI_ASSIGN(identity.sources, files.open());
  return identity;
}

}  // namespace

Result<RereadableFiles::Entry> RereadableFiles::Entry::create(const std::string& path,
                                                              Observer* observer, Team& team) {
  Entry entry{path, std::nullopt, nullptr, std::make_shared<std::string>()};
  if (is_read_once(path)) {
    DPFERMI_ASSIGN(entry.text, read_all(path));
  } else {
    DPFERMI_ASSIGN(entry.source, find_record_source(path, observer, team));
  }
  return entry;
}

Result<RereadableFiles> RereadableFiles::create(const TableRequest& request, Team& team) {
  RereadableFiles all;
  all.memory_ = request.memory;
  for (const std::string& path : request.files) {
    DPFERMI_ASSIGN(Entry entry, Entry::create(path, request.observer, team));
    all.entries_.push_back(std::move(entry));
  }
  const std::string& sensitive = request.schema.sensitive_file;
  if (!sensitive.empty() && !is_read_once(sensitive)) {
    DPFERMI_ASSIGN(all.sensitive_, Entry::create(sensitive, request.observer, team));
  }
  return all;
}

RereadableFiles RereadableFiles::of_pack(std::vector<std::string> digests) {
  RereadableFiles none;
  none.digests_ = std::move(digests);
  return none;
}

Result<TableSource> RereadableFiles::Entry::open() const {
  if (source != nullptr) {
    DPFERMI_ASSIGN(auto records, source->read());
    if (records->blocks() != nullptr) {
      return TableSource(std::make_unique<SteadyBlocks>(std::move(records), digest));
    }
    return TableSource(std::make_unique<SteadyReader>(std::move(records), digest));
  }
  if (text) return TableSource(memory_source(table_title(path), *text));
  DPFERMI_ASSIGN(auto file, open_source(path));
  return TableSource(std::make_unique<SteadySource>(std::move(file), digest));
}

Result<std::vector<TableSource>> RereadableFiles::open() const {
  std::vector<TableSource> sources;
  for (const Entry& entry : entries_) {
    DPFERMI_ASSIGN(auto source, entry.open());
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::optional<TableSource>> RereadableFiles::open_sensitive() const {
  if (!sensitive_) return std::nullopt;
  DPFERMI_ASSIGN(TableSource source, sensitive_->open());
  return std::optional(std::move(source));
}

void RereadableFiles::release() const {
  for (const Entry& entry : entries_) {
    if (entry.source != nullptr) entry.source->release();
  }
  if (sensitive_ && sensitive_->source != nullptr) sensitive_->source->release();
}

Result<Table> RereadableFiles::read(const Schema& schema, TableUse use) const {
  DPFERMI_ASSIGN(auto sensitive, open_sensitive());
  if (memory_) return read_table(*memory_, schema, use, std::move(sensitive));
  DPFERMI_ASSIGN(auto sources, open());
  return read_table(std::move(sources), schema, use, std::move(sensitive));
}

Result<std::vector<std::string>> plain_digests(const RereadableFiles& files, const Table& table) {
  if (files.digests() && !files.digests()->empty()) return *files.digests();
  if (files.digests()) {
    return failed("the pack was made without protected columns; pack the table with them");
  }
  const Schema& schema = table.schema;
  std::vector<IdentityDigest> digests;
  for (const Adjacency adjacency :
       {Adjacency::kAddRemoveRecord, Adjacency::kReplaceRecord, Adjacency::kSensitive}) {
    if (digests.empty() && adjacency != schema.adjacency) continue;
    digests.emplace_back(schema, adjacency);
  }
  DPFERMI_ASSIGN(Identity identity, identity_of(files, table));
  for (TableSource& source : identity.sources) {
    DPFERMI_ASSIGN(const auto reader, std::move(source).open(identity.format, identity.hint));
    identity.format.names = reader->names();
    DPFERMI_TRY(add_records(*reader, schema, digests));
  }
  files.release();
  std::vector<std::string> all;
  for (IdentityDigest& digest : digests) {
    DPFERMI_ASSIGN(std::string text, digest.finish());
    all.push_back(std::move(text));
  }
  return all;
}

Result<DataDigests> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger) {
  DPFERMI_ASSIGN(const std::vector<std::string> digests, plain_digests(files, table));
  // Always under the key: see the header.
  DataDigests all;
  DPFERMI_ASSIGN(all.fingerprint, ledger.sealed(digests.front()));
  for (std::size_t i = 1; i < digests.size(); ++i) {
    DPFERMI_ASSIGN(std::string relative, ledger.sealed(digests[i]));
    all.relatives.push_back(std::move(relative));
  }
  return all;
}

}  // namespace dpfermi
