#pragma once

/// A streaming reader of delimited text: RFC 4180 quotes, LF or CRLF, a UTF-8 byte-order mark,
/// commas, semicolons or tabs with or without spaces around them, comment and skipped lines, blank
/// lines anywhere. Memory is one block plus the longest record.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"
#include "data/record_reader.h"
#include "dpfermi/core/result.h"
#include "dpfermi/data/csv_format.h"

namespace dpfermi {

/// What a caller knows about the header of a file whose format says kAuto. A first record that
/// holds one of the expected names is a header. If none does, it is one unless a field is empty,
/// repeated or a number; but where the file holds protected columns that look at the fields would
/// let the outcome depend on a protected value, so it is a row then.
struct HeaderHint {
  std::vector<std::string> expected;
  bool has_protected = false;
  /// Where the first column is protected and the format names the columns, a comment is a line that
  /// begins like one and has another number of fields than a row: whether a row counts must not
  /// depend on a protected value.
  bool first_is_protected = false;
  bool repeats =
      false;  ///< the second column of a name need not be expected: it is shown, or not used
};

class CsvReader final : public RecordReader {
 public:
  /// A longer record is refused: it is nearly always a quote that is never closed.
  static constexpr std::size_t kMaxRecordBytes = std::size_t{16} << 20;

  static Result<CsvReader> open(std::unique_ptr<ByteSource> source, CsvFormat format,
                                const HeaderHint& hint = {});

  /// One name per column, from the header, `format.names`, or "column1", "column2", ... The second
  /// column of a name in the header is "name.2", and must be expected (HeaderHint): a column that
  /// not known to be there twice could be a protected one.
  const std::vector<std::string>& names() const override { return names_; }

  bool guessed_no_header() const override { return guessed_no_header_; }
  const std::string& source_name() const override { return source_->name(); }
  std::size_t estimated_rows(std::size_t seen, std::size_t bytes) const override;

  Result<bool> next() override;

  /// Unquoted and trimmed.
  const std::vector<std::string_view>& fields() const override { return fields_; }

  /// The line on which the current record starts, from 1.
  std::uint64_t line() const { return record_line_; }

  std::uint64_t position() const override { return line(); }
  std::string place(std::uint64_t position) const override;

 private:
  enum class FieldEnd { kDelimiter, kNewline, kNeedMore, kTextAfterQuote };
  enum class Outcome { kRecord, kBlank, kNeedMore, kTextAfterQuote };

  CsvReader(std::unique_ptr<ByteSource> source, CsvFormat format);

  Status start(const HeaderHint& hint);
  Status refuse_other_encodings();
  Status skip_leading_lines();
  Status settle_delimiter();
  /// Refuses repeated names that neither `hint` expects nor a declaration settles.
  Status check_repeats(const std::vector<std::string>& written, const HeaderHint& hint) const;
  Status settle_names(const HeaderHint& hint);
  bool first_is_header(const std::vector<std::string>& written, const HeaderHint& hint) const;
  Result<bool> next_unchecked();
  Outcome parse_record();
  FieldEnd parse_quoted(std::size_t open);
  FieldEnd end_field(std::size_t begin, std::size_t end);
  bool skip_comment();
  Status refill();
  void index_block();

  std::unique_ptr<ByteSource> source_;
  CsvFormat format_;
  std::vector<std::string> names_;
  bool is_uncounted_comment() const;

  bool comments_by_count_ = false;  ///< see HeaderHint
  bool guessed_no_header_ = false;

  std::vector<char> block_;           ///< bytes of the file, the current record first
  std::size_t filled_ = 0;            ///< how many bytes of block_ hold data
  bool at_end_ = false;               ///< the source has nothing more
  std::vector<std::uint32_t> index_;  ///< structural positions in block_
  std::size_t index_size_ = 0;
  std::size_t index_next_ = 0;  ///< first entry of index_ not yet consumed
  std::size_t position_ = 0;    ///< where the next record, or the current field, starts
  std::uint64_t line_ = 1;      ///< the line of position_
  std::uint64_t record_line_ = 0;
  bool have_record_ = false;  ///< a record was read ahead while finding the header

  std::vector<std::string_view> fields_;
  std::vector<std::unique_ptr<std::string>> unescaped_;  ///< fields that contained "" pairs
  std::size_t unescaped_used_ = 0;
};

/// Comma, semicolon, tab or bar: the most frequent in the first line of `text`. Of later lines, how
/// many have been read depends on how long their values are, protected ones too.
char sniff_delimiter(std::string_view text, std::string_view comment);

}  // namespace dpfermi
