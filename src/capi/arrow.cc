#include "capi/arrow.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "core/text.h"
#include "data/level_table.h"

namespace dpfermi::capi {
namespace {

/// A released struct of the interface has no release callback.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { release(); }

  Struct* operator->() { return &value_; }
  const Struct& operator*() const { return value_; }
  bool empty() const { return value_.release == nullptr; }

  /// Where a producer writes the next one.
  Struct* refill() {
    release();
    return &value_;
  }

 private:
  void release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = {};
  }

  Struct value_ = {};
};

/// Rows [first, first + count) of an array, whose own offset is added.
struct Slice {
  const ArrowArray& array;
  std::size_t first;
  std::size_t count;

  std::size_t at(std::size_t i) const { return static_cast<std::size_t>(array.offset) + first + i; }
  bool bit(std::size_t buffer, std::size_t i) const {
    const auto* bytes = static_cast<const unsigned char*>(array.buffers[buffer]);
    return ((bytes[at(i) / 8] >> (at(i) % 8)) & 1U) != 0;
  }
  bool present(std::size_t i) const {
    return array.null_count == 0 || array.buffers[0] == nullptr || bit(0, i);
  }
  template <class T>
  T value(std::size_t i) const {
    return static_cast<const T*>(array.buffers[1])[at(i)];
  }
};

Slice all_of(const ArrowArray& array) {
  return {array, 0, static_cast<std::size_t>(array.length)};
}

using NumberReader = double (*)(const Slice&, std::size_t);
using TextReader = std::string_view (*)(const Slice&, std::size_t);

template <class T>
double number_at(const Slice& slice, std::size_t i) {
  return static_cast<double>(slice.value<T>(i));
}

template <class Offset>
std::string_view text_at(const Slice& slice, std::size_t i) {
  const auto* offsets = static_cast<const Offset*>(slice.array.buffers[1]) + slice.at(i);
  const auto begin = static_cast<std::size_t>(offsets[0]);
  return {static_cast<const char*>(slice.array.buffers[2]) + begin,
          static_cast<std::size_t>(offsets[1]) - begin};
}

/// A view of 16 bytes: the length, then up to 12 bytes of text, or its start, buffer and place.
std::string_view viewed_text_at(const Slice& slice, std::size_t i) {
  constexpr std::size_t kInline = 12;
  const char* view = static_cast<const char*>(slice.array.buffers[1]) + 16 * slice.at(i);
  const auto word = [&](std::size_t byte) {
    std::int32_t value = 0;
    std::memcpy(&value, view + byte, sizeof value);
    return static_cast<std::size_t>(value);
  };
  if (word(0) <= kInline) return {view + 4, word(0)};
  return {static_cast<const char*>(slice.array.buffers[2 + word(8)]) + word(12), word(0)};
}

/// Null for a type that is no number.
NumberReader number_reader(std::string_view format) {
  if (format.size() != 1) return nullptr;
  switch (format[0]) {
    case 'c':
      return number_at<std::int8_t>;
    case 'C':
      return number_at<std::uint8_t>;
    case 's':
      return number_at<std::int16_t>;
    case 'S':
      return number_at<std::uint16_t>;
    case 'i':
      return number_at<std::int32_t>;
    case 'I':
      return number_at<std::uint32_t>;
    case 'l':
      return number_at<std::int64_t>;
    case 'L':
      return number_at<std::uint64_t>;
    case 'f':
      return number_at<float>;
    case 'g':
      return number_at<double>;
    default:
      return nullptr;
  }
}

TextReader text_reader(std::string_view format) {
  if (format == "u") return text_at<std::int32_t>;
  if (format == "U") return text_at<std::int64_t>;
  if (format == "vu") return viewed_text_at;
  return nullptr;
}

/// One column, batch by batch.
class ColumnReader {
 public:
  static Result<ColumnReader> create(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    ColumnReader reader(schema.name == nullptr ? "" : schema.name);
    if (schema.dictionary != nullptr) {
      reader.numbers_ = number_reader(format);
      reader.texts_ = text_reader(schema.dictionary->format);
      if (reader.numbers_ != nullptr && reader.texts_ != nullptr) return reader;
      return reader.refuse(fmt::format("dictionary of {}", schema.dictionary->format));
    }
    reader.nothing_ = format == "n";
    reader.truth_ = format == "b";
    reader.numbers_ = number_reader(format);
    reader.texts_ = text_reader(format);
    reader.column_.numeric = reader.numbers_ != nullptr || reader.nothing_;
    if (reader.truth_) reader.column_.levels = {"False", "True"};
    if (reader.column_.numeric || reader.truth_ || reader.texts_ != nullptr) return reader;
    return reader.refuse(format);
  }

  void append(const Slice& slice) {
    if (column_.numeric) return append_numbers(slice);
    if (slice.array.dictionary != nullptr) return append_dictionary(slice);
    for (std::size_t i = 0; i < slice.count; ++i) {
      std::int32_t code = -1;
      if (slice.present(i)) code = truth_ ? slice.bit(1, i) : code_of(texts_(slice, i));
      column_.codes.push_back(code);
    }
  }

  ArrowColumn finish() && {
    if (!column_.numeric && !truth_) column_.levels = seen_.levels();
    // A column without rows has a place nevertheless.
    column_.numbers.reserve(1);
    column_.codes.reserve(1);
    return std::move(column_);
  }

 private:
  explicit ColumnReader(std::string name) { column_.name = std::move(name); }

  tl::unexpected<Error> refuse(std::string_view type) const {
    return failed(
        fmt::format("column '{}' has the Arrow type '{}'; make it a number, a truth value or a "
                    "text first, or leave it out",
                    printable(column_.name), printable(type)));
  }

  void append_numbers(const Slice& slice) {
    column_.numbers.reserve(column_.numbers.size() + slice.count);
    for (std::size_t i = 0; i < slice.count; ++i) {
      column_.numbers.push_back(!nothing_ && slice.present(i)
                                    ? numbers_(slice, i)
                                    : std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// Every batch may have a dictionary of its own.
  void append_dictionary(const Slice& slice) {
    const Slice values = all_of(*slice.array.dictionary);
    std::vector<std::int32_t> codes(values.count, -1);
    for (std::size_t i = 0; i < values.count; ++i) {
      if (values.present(i)) codes[i] = code_of(texts_(values, i));
    }
    for (std::size_t i = 0; i < slice.count; ++i) {
      const double index = slice.present(i) ? numbers_(slice, i) : -1;
      const bool known = index >= 0 && index < static_cast<double>(codes.size());
      column_.codes.push_back(known ? codes[static_cast<std::size_t>(index)] : -1);
    }
  }

  std::int32_t code_of(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return -1;
    return static_cast<std::int32_t>(seen_.insert(text));
  }

  ArrowColumn column_;
  bool nothing_ = false;            ///< a column of nulls
  bool truth_ = false;              ///< codes 0 and 1
  NumberReader numbers_ = nullptr;  ///< numbers, or places in a dictionary
  TextReader texts_ = nullptr;      ///< texts, or those of a dictionary
  LevelTable seen_;
};

Status check_stream(ArrowArrayStream& stream, int status) {
  if (status == 0) return {};
  const char* why = stream.get_last_error(&stream);
  return failed(fmt::format("the Arrow stream failed: {}",
                            why == nullptr ? std::strerror(status) : printable(why)));
}

Status append_batch(const ArrowArray& batch, std::vector<ColumnReader>& columns) {
  const bool nulls = batch.null_count != 0 && batch.buffers[0] != nullptr;
  if (nulls || static_cast<std::size_t>(batch.n_children) != columns.size()) {
    return failed("the Arrow stream holds rows without columns; give a table");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].append({*batch.children[c], static_cast<std::size_t>(batch.offset),
                       static_cast<std::size_t>(batch.length)});
  }
  return {};
}

}  // namespace

Result<ArrowTable> read_arrow(ArrowArrayStream& stream) {
  Owned<ArrowSchema> schema;
  DPFERMI_TRY(check_stream(stream, stream.get_schema(&stream, schema.refill())));
  if (std::string_view((*schema).format) != "+s") {
    return failed("the Arrow stream does not hold a table of named columns; give a table");
  }
  std::vector<ColumnReader> columns;
  for (std::int64_t c = 0; c < schema->n_children; ++c) {
    DPFERMI_ASSIGN(ColumnReader column, ColumnReader::create(*schema->children[c]));
    columns.push_back(std::move(column));
  }
  ArrowTable table;
  Owned<ArrowArray> batch;
  while (true) {
    DPFERMI_TRY(check_stream(stream, stream.get_next(&stream, batch.refill())));
    if (batch.empty()) break;
    DPFERMI_TRY(append_batch(*batch, columns));
    table.rows += static_cast<std::size_t>(batch->length);
  }
  for (ColumnReader& column : columns) table.columns.push_back(std::move(column).finish());
  return table;
}

}  // namespace dpfermi::capi
