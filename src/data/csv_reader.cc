#include "data/csv_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/text.h"
#include "data/repeated_names.h"
#include "data/structural_index.h"

namespace dpfermi {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

std::size_t skip_blanks(const std::vector<char>& block, std::size_t from, std::size_t end) {
  while (from < end && is_blank(block[from])) ++from;
  return from;
}

/// Texts in every field, nearly all different: a name in ten may repeat another.
bool looks_like_header(const std::vector<std::string>& fields) {
  const std::set<std::string_view> different(fields.begin(), fields.end());
  return std::ranges::all_of(
             fields,
             [](const std::string& field) { return !field.empty() && !parse_number(field); }) &&
         10 * (fields.size() - different.size()) <= fields.size();
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, CsvFormat format)
    : source_(std::move(source)), format_(std::move(format)), block_(kBlockBytes) {}

Result<CsvReader> CsvReader::open(std::unique_ptr<ByteSource> source, CsvFormat format,
                                  const HeaderHint& hint) {
  CsvReader reader(std::move(source), std::move(format));
  DPFERMI_TRY(reader.start(hint));
  return reader;
}

std::string CsvReader::place(std::uint64_t position) const {
  return fmt::format("{}, line {}", source_->name(), position);
}

std::size_t CsvReader::estimated_rows(std::size_t seen, std::size_t bytes) const {
  if (bytes == 0) return 0;
  const double share = static_cast<double>(source_->size_hint()) / static_cast<double>(bytes);
  return static_cast<std::size_t>(1.05 * share * static_cast<double>(seen));
}

bool CsvReader::is_uncounted_comment() const {
  return comments_by_count_ && fields_.size() != format_.names.size() &&
         fields_.front().starts_with(format_.comment);
}

Status CsvReader::start(const HeaderHint& hint) {
  comments_by_count_ =
      hint.first_is_protected && !format_.comment.empty() && !format_.names.empty();
  DPFERMI_TRY(refill());
  DPFERMI_TRY(refuse_other_encodings());
  DPFERMI_TRY(skip_leading_lines());
  if (!format_.delimiter) {
    format_.delimiter =
        sniff_delimiter({block_.data() + position_, filled_ - position_}, format_.comment);
  }
  index_block();
  return settle_names(hint);
}

Status CsvReader::refuse_other_encodings() {
  const std::string_view head(block_.data(), std::min<std::size_t>(filled_, 3));
  if (head.starts_with("\xEF\xBB\xBF")) position_ = 3;
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return failed(fmt::format("{}: is UTF-16 text; save it as UTF-8 first", source_->name()));
  }
  return {};
}

Status CsvReader::skip_leading_lines() {
  for (std::size_t skipped = 0; skipped < format_.skip_lines;) {
    const void* newline = std::memchr(block_.data() + position_, '\n', filled_ - position_);
    if (newline != nullptr) {
      position_ = static_cast<std::size_t>(static_cast<const char*>(newline) - block_.data()) + 1;
      ++line_;
      ++skipped;
    } else if (at_end_) {
      position_ = filled_;
      break;
    } else {
      DPFERMI_TRY(refill());
    }
  }
  return {};
}

bool CsvReader::first_is_header(const std::vector<std::string>& written,
                                const HeaderHint& hint) const {
  const std::vector<std::string> first = told_apart(written);
  if (format_.header != HeaderRule::kAuto) return format_.header == HeaderRule::kYes;
  if (!format_.names.empty()) return first == format_.names;
  const bool names_one = std::ranges::any_of(hint.expected, [&](const std::string& name) {
    return std::ranges::find(first, name) != first.end();
  });
  return names_one || (!hint.has_protected && looks_like_header(written));
}

Status CsvReader::check_repeats(const std::vector<std::string>& written,
                                const HeaderHint& hint) const {
  std::vector<std::string> repeats;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == written[i] || contains(hint.expected, names_[i])) continue;
    repeats.push_back(fmt::format("'{}' (column {} is read as '{}')", printable(written[i]), i + 1,
                                  printable(names_[i])));
  }
  if (repeats.empty()) return {};
  return tl::unexpected(error_here(
      fmt::format("column names that appear twice: {}; drop a column with `drop` if it repeats the "
                  "other, or give it a type if it does not",
                  fmt::join(repeats, ", "))));
}

Status CsvReader::settle_names(const HeaderHint& hint) {
  DPFERMI_ASSIGN(const bool any, next_unchecked());
  if (!any) {
    return failed(
        fmt::format("{}: is empty; expected a table with at least one row", source_->name()));
  }
  const std::vector<std::string> written(fields_.begin(), fields_.end());
  const bool header = first_is_header(written, hint);
  const std::vector<std::string> first = header ? told_apart(written) : written;
  names_ = format_.names;
  if (names_.empty() && header) names_ = first;
  for (std::size_t i = names_.size(); format_.names.empty() && i < first.size(); ++i) {
    names_.push_back(fmt::format("column{}", i + 1));
  }
  have_record_ = !header;
  guessed_no_header_ = !header && format_.header == HeaderRule::kAuto && format_.names.empty();
  if (first.size() != names_.size()) {
    return tl::unexpected(error_here(
        fmt::format("{} fields where {} column names were given", first.size(), names_.size())));
  }
  std::set<std::string_view> seen;
  for (const std::string& name : names_) {
    if (find_invalid_utf8(name) != std::string_view::npos) {
      return tl::unexpected(error_here(fmt::format(
          "the column name '{}' is not UTF-8; convert the file with iconv", printable(name))));
    }
    if (!seen.insert(name).second) {
      return tl::unexpected(error_here(
          fmt::format("the column name '{}' appears twice; rename one of them", printable(name))));
    }
  }
  if (header && format_.names.empty() && !hint.repeats) return check_repeats(written, hint);
  return {};
}

Result<bool> CsvReader::next() {
  if (have_record_) {
    have_record_ = false;
    return true;
  }
  DPFERMI_ASSIGN(const bool any, next_unchecked());
  if (any && fields_.size() != names_.size()) {
    return tl::unexpected(error_here(
        fmt::format("{} where the table has {}; correct the line or quote fields that contain '{}'",
                    counted(fields_.size(), "field"), counted(names_.size(), "column"),
                    *format_.delimiter == '\t' ? "\\t" : std::string(1, *format_.delimiter))));
  }
  return any;
}

Result<bool> CsvReader::next_unchecked() {
  while (true) {
    if (position_ == filled_ && at_end_) return false;
    const std::size_t start = position_;
    const std::uint64_t start_line = line_;
    const Outcome outcome = parse_record();
    if (outcome == Outcome::kRecord && !is_uncounted_comment()) return true;
    if (outcome == Outcome::kTextAfterQuote) {
      return tl::unexpected(
          error_here("text follows a closing quote; double the quotes inside a quoted field"));
    }
    if (outcome == Outcome::kNeedMore) {
      if (at_end_) {
        return tl::unexpected(error_here("a quoted field is never closed; add the missing '\"'"));
      }
      position_ = start;
      line_ = start_line;
      DPFERMI_TRY(refill());
      index_block();
    }
  }
}

inline CsvReader::FieldEnd CsvReader::end_field(std::size_t begin, std::size_t end) {
  position_ = end + 1;
  const bool newline = block_[end] == '\n';
  line_ += newline ? 1 : 0;
  if (newline && end > begin && block_[end - 1] == '\r') --end;
  while (begin < end && is_blank(block_[begin])) ++begin;
  while (begin < end && is_blank(block_[end - 1])) --end;
  fields_.emplace_back(block_.data() + begin, end - begin);
  return newline ? FieldEnd::kNewline : FieldEnd::kDelimiter;
}

CsvReader::Outcome CsvReader::parse_record() {
  fields_.clear();
  unescaped_used_ = 0;
  record_line_ = line_;
  if (!format_.comment.empty() && !comments_by_count_ &&
      std::string_view(block_.data() + position_, filled_ - position_)
          .starts_with(format_.comment)) {
    return skip_comment() ? Outcome::kBlank : Outcome::kNeedMore;
  }
  const std::size_t start = position_;
  while (index_next_ < index_size_) {
    const std::size_t p = index_[index_next_++];
    FieldEnd end = FieldEnd::kDelimiter;
    if (block_[p] != '"') {
      end = end_field(position_, p);
    } else if (skip_blanks(block_, position_, p) == p) {
      end = parse_quoted(p);
    }
    if (end == FieldEnd::kDelimiter) continue;
    if (end == FieldEnd::kNeedMore) return Outcome::kNeedMore;
    if (end == FieldEnd::kTextAfterQuote) return Outcome::kTextAfterQuote;
    const bool blank = fields_.size() == 1 && fields_[0].empty() &&
                       block_[skip_blanks(block_, start, position_)] != '"';
    return blank ? Outcome::kBlank : Outcome::kRecord;
  }
  return Outcome::kNeedMore;
}

bool CsvReader::skip_comment() {
  while (index_next_ < index_size_) {
    const std::size_t p = index_[index_next_++];
    if (block_[p] == '\n') {
      position_ = p + 1;
      ++line_;
      return true;
    }
  }
  return false;
}

CsvReader::FieldEnd CsvReader::parse_quoted(std::size_t open) {
  std::string* unescaped = nullptr;
  std::size_t piece = open + 1;
  while (index_next_ < index_size_) {
    const std::size_t p = index_[index_next_++];
    if (block_[p] == '\n') ++line_;
    if (block_[p] != '"') continue;
    if (p + 1 == filled_) return FieldEnd::kNeedMore;
    const std::string_view text(block_.data() + piece, p - piece);
    if (block_[p + 1] == '"') {
      if (unescaped == nullptr) {
        if (unescaped_used_ == unescaped_.size()) {
          unescaped_.push_back(std::make_unique<std::string>());
        }
        unescaped = unescaped_[unescaped_used_++].get();
        unescaped->clear();
      }
      unescaped->append(text).push_back('"');
      piece = p + 2;
      ++index_next_;
      continue;
    }
    if (index_next_ == index_size_) return FieldEnd::kNeedMore;
    const std::size_t after = index_[index_next_++];
    std::size_t rest = skip_blanks(block_, p + 1, after);
    if (rest < after && block_[after] == '\n' && block_[rest] == '\r') ++rest;
    if (rest != after || block_[after] == '"') return FieldEnd::kTextAfterQuote;
    const FieldEnd end = end_field(p, after);
    if (unescaped != nullptr) unescaped->append(text);
    fields_.back() = unescaped != nullptr ? std::string_view(*unescaped) : text;
    return end;
  }
  return FieldEnd::kNeedMore;
}

Status CsvReader::refill() {
  const std::size_t kept = filled_ - position_;
  std::memmove(block_.data(), block_.data() + position_, kept);
  position_ = 0;
  filled_ = kept;
  // One byte stays free for the newline that a last line may lack.
  if (filled_ + 1 >= block_.size()) {
    if (block_.size() >= kMaxRecordBytes) {
      record_line_ = line_;
      return tl::unexpected(
          error_here(fmt::format("the record is longer than {} MiB; is a quote never closed, or is "
                                 "this not a table?",
                                 kMaxRecordBytes >> 20)));
    }
    block_.resize(2 * block_.size());
  }
  while (!at_end_ && filled_ + 1 < block_.size()) {
    DPFERMI_ASSIGN(const std::size_t got,
                   source_->read(std::span(block_).subspan(filled_, block_.size() - 1 - filled_)));
    filled_ += got;
    at_end_ = got == 0;
  }
  if (at_end_ && filled_ > 0 && block_[filled_ - 1] != '\n') block_[filled_++] = '\n';
  return {};
}

void CsvReader::index_block() {
  index_.resize(std::max(index_.size(), block_.size() + 64));
  index_size_ = find_structurals({block_.data(), filled_}, *format_.delimiter, index_);
  index_next_ = static_cast<std::size_t>(
      std::lower_bound(index_.begin(), index_.begin() + static_cast<std::ptrdiff_t>(index_size_),
                       position_) -
      index_.begin());
}

}  // namespace dpfermi
