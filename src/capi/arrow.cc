#include "capi/arrow.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>
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

/// Rows [first, first + count) of an array, whose own offset is added. Values are copied out byte
/// by byte: a producer need not align them.
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
    return item<T>(1, at(i));
  }
  template <class T>
  T item(std::size_t buffer, std::size_t place) const {
    T value;
    std::memcpy(&value, static_cast<const char*>(array.buffers[buffer]) + place * sizeof value,
                sizeof value);
    return value;
  }
};

Slice all_of(const ArrowArray& array) {
  return {array, 0, static_cast<std::size_t>(array.length)};
}

using NumberReader = double (*)(const Slice&, std::size_t);
/// Nothing: the place of the text cannot be.
using TextReader = std::optional<std::string_view> (*)(const Slice&, std::size_t);

template <class T>
double number_at(const Slice& slice, std::size_t i) {
  return static_cast<double>(slice.value<T>(i));
}

template <class Offset>
std::optional<std::string_view> text_at(const Slice& slice, std::size_t i) {
  const auto begin = slice.value<Offset>(i), end = slice.value<Offset>(i + 1);
  const auto* texts = static_cast<const char*>(slice.array.buffers[2]);
  if (begin < 0 || end < begin || (texts == nullptr && end > begin)) return std::nullopt;
  if (texts == nullptr) return std::string_view();
  return std::string_view(texts + begin, static_cast<std::size_t>(end - begin));
}

/// A view of 16 bytes: the length, then up to 12 bytes of text, or its start, buffer and place. The
/// last buffer holds the sizes of those that texts are in.
std::optional<std::string_view> viewed_text_at(const Slice& slice, std::size_t i) {
  constexpr std::size_t kInline = 12;
  const std::size_t view = 4 * slice.at(i);
  const auto word = [&](std::size_t place) {
    return std::int64_t{slice.item<std::int32_t>(1, view + place)};
  };
  const std::int64_t length = word(0), buffer = word(2), begin = word(3);
  if (length < 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(length);
  if (size <= kInline) {
    return std::string_view(static_cast<const char*>(slice.array.buffers[1]) + 4 * (view + 1),
                            size);
  }
  const std::int64_t last = slice.array.n_buffers - 1;
  if (buffer < 0 || buffer >= last - 2 || begin < 0) return std::nullopt;
  const void* texts = slice.array.buffers[2 + buffer];
  if (texts == nullptr || slice.array.buffers[last] == nullptr) return std::nullopt;
  const auto known =
      slice.item<std::int64_t>(static_cast<std::size_t>(last), static_cast<std::size_t>(buffer));
  if (begin + length > known) return std::nullopt;
  return std::string_view(static_cast<const char*>(texts) + begin, size);
}

/// Null for a type that is not a number.
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

bool is_index(std::string_view format) {
  return number_reader(format) != nullptr && format != "f" && format != "g";
}

/// Whether rows [first, first + count) of `array` are there, with `buffers` buffers, of which the
/// second holds a value for every row. How long buffers are is no part of the interface.
bool has_rows(const ArrowArray& array, std::int64_t first, std::int64_t count,
              std::int64_t buffers) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max() - 1;
  if (first < 0 || count < 0 || array.length < 0 || array.offset < 0 || array.null_count < -1) {
    return false;
  }
  if (array.offset > kMost - array.length || first > array.length - count) return false;
  if (array.n_buffers < buffers || (buffers > 0 && array.buffers == nullptr)) return false;
  return buffers < 2 || count == 0 || array.buffers[1] != nullptr;
}

/// One column, batch by batch.
class ColumnReader {
 public:
  static Result<ColumnReader> create(const ArrowSchema& schema) {
    ColumnReader reader(schema.name == nullptr ? "" : schema.name);
    if (schema.format == nullptr) return reader.malformed("it has no type");
    const std::string_view format = schema.format;
    if (schema.dictionary != nullptr) {
      if (schema.dictionary->format == nullptr) {
        return reader.malformed("its dictionary has no type");
      }
      reader.dictionary_ = true;
      reader.numbers_ = is_index(format) ? number_reader(format) : nullptr;
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

  /// Rows [first, first + count) of `array`, none of which is negative.
  Status append(const ArrowArray& array, std::int64_t first, std::int64_t count) {
    const std::int64_t buffers = nothing_ ? 0 : texts_ == nullptr || dictionary_ ? 2 : 3;
    if (!has_rows(array, first, count, buffers)) {
      return malformed("rows or buffers are missing");
    }
    if ((array.dictionary != nullptr) != dictionary_) {
      return malformed("its dictionary comes and goes");
    }
    const Slice slice{array, static_cast<std::size_t>(first), static_cast<std::size_t>(count)};
    if (column_.numeric) {
      append_numbers(slice);
      return {};
    }
    if (dictionary_) return append_dictionary(slice);
    for (std::size_t i = 0; i < slice.count; ++i) {
      std::int32_t code = -1;
      if (slice.present(i)) {
        if (truth_) {
          code = slice.bit(1, i) ? 1 : 0;
        } else {
          DPFERMI_ASSIGN(code, code_at(slice, i));
        }
      }
      column_.codes.push_back(code);
    }
    return {};
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

  tl::unexpected<Error> malformed(std::string_view what) const {
    return failed(fmt::format("column '{}' of the Arrow stream is malformed ({}); export it anew",
                              printable(column_.name), what));
  }

  void append_numbers(const Slice& slice) {
    column_.numbers.reserve(column_.numbers.size() + slice.count);
    for (std::size_t i = 0; i < slice.count; ++i) {
      column_.numbers.push_back(!nothing_ && slice.present(i)
                                    ? numbers_(slice, i)
                                    : std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// Every batch may have its own dictionary.
  Status append_dictionary(const Slice& slice) {
    const ArrowArray& dictionary = *slice.array.dictionary;
    if (!has_rows(dictionary, 0, dictionary.length, 3)) {
      return malformed("its dictionary lacks rows or buffers");
    }
    const Slice values = all_of(dictionary);
    std::vector<std::int32_t> codes(values.count, -1);
    for (std::size_t i = 0; i < values.count; ++i) {
      if (!values.present(i)) continue;
      DPFERMI_ASSIGN(codes[i], code_at(values, i));
    }
    for (std::size_t i = 0; i < slice.count; ++i) {
      const double index = slice.present(i) ? numbers_(slice, i) : -1;
      const bool known = index >= 0 && index < static_cast<double>(codes.size());
      column_.codes.push_back(known ? codes[static_cast<std::size_t>(index)] : -1);
    }
    return {};
  }

  Result<std::int32_t> code_at(const Slice& slice, std::size_t i) {
    const std::optional<std::string_view> text = texts_(slice, i);
    if (!text) return malformed("a text lies outside of its buffer");
    if (text->find('\0') != std::string_view::npos) return -1;
    return static_cast<std::int32_t>(seen_.insert(*text));
  }

  ArrowColumn column_;
  bool nothing_ = false;            ///< a column of nulls
  bool truth_ = false;              ///< codes 0 and 1
  bool dictionary_ = false;         ///< of texts
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
  const bool nulls = batch.null_count != 0 && batch.n_buffers > 0 && batch.buffers != nullptr &&
                     batch.buffers[0] != nullptr;
  if (nulls || static_cast<std::size_t>(batch.n_children) != columns.size()) {
    return failed("the Arrow stream holds rows without columns; give a table");
  }
  if (!has_rows(batch, 0, batch.length, 0)) {
    return failed("the Arrow stream holds a malformed batch of rows; export it anew");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (batch.children == nullptr || batch.children[c] == nullptr) {
      return failed(fmt::format("the Arrow stream lacks column {} in a batch; export it anew", c));
    }
    DPFERMI_TRY(columns[c].append(*batch.children[c], batch.offset, batch.length));
  }
  return {};
}

Result<std::vector<ColumnReader>> column_readers(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    return failed("the Arrow stream does not hold a table of named columns; give a table");
  }
  std::vector<ColumnReader> columns;
  for (std::int64_t c = 0; c < schema.n_children; ++c) {
    if (schema.children == nullptr || schema.children[c] == nullptr) {
      return failed(fmt::format("the Arrow stream does not describe column {}; export it anew", c));
    }
    DPFERMI_ASSIGN(ColumnReader column, ColumnReader::create(*schema.children[c]));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

Result<ArrowTable> read_arrow(ArrowArrayStream& stream) {
  if (stream.release == nullptr || stream.get_schema == nullptr || stream.get_next == nullptr ||
      stream.get_last_error == nullptr) {
    return usage_error("`stream` was released already; a stream is read once");
  }
  Owned<ArrowSchema> schema;
  DPFERMI_TRY(check_stream(stream, stream.get_schema(&stream, schema.refill())));
  DPFERMI_ASSIGN(std::vector<ColumnReader> columns, column_readers(*schema));
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
