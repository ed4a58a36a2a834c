// Any text is a request of the C interface or an error of one line, and any Arrow stream whose
// buffers are as long as the specification asks is a table or an error. The first byte chooses.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "dpfermi/dpfermi_c.h"

namespace {

/// Checks that a call failed as calls fail, and frees the error. By reference: it is read after the
/// call.
void check(dpfermi_status status, dpfermi_error*& error) {
  if ((status == DPFERMI_OK) != (error == nullptr)) std::abort();
  if (error != nullptr) {
    const char* message = dpfermi_error_message(error);
    if (*message == '\0' || std::strchr(message, '\n') != nullptr) std::abort();
    if (dpfermi_error_status(error) != status) std::abort();
  }
  dpfermi_error_free(error);
  error = nullptr;
}

constexpr std::size_t kRows = 12;

dpfermi_status load(const char* options, dpfermi_table** table, dpfermi_error** error) {
  static constexpr double kAges[kRows] = {20, 31, 42, 53, 64, 25, 36, 47, 58, 69, 22, 33};
  static constexpr std::int32_t kSexes[kRows] = {0, 1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 7};
  static constexpr std::int32_t kIncomes[kRows] = {0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1};
  static const char* const kSexNames[] = {"f", "m"};
  static const char* const kIncomeNames[] = {"low", "high"};
  static const dpfermi_column kColumns[] = {{"age", kAges, nullptr, nullptr, 0},
                                            {"sex", nullptr, kSexes, kSexNames, 2},
                                            {"income", nullptr, kIncomes, kIncomeNames, 2}};
  static const dpfermi_columns kPeople = {"fuzz", kRows, kColumns, 3};
  return dpfermi_table_load(&kPeople, options, table, error);
}

void check_load(const char* options) {
  dpfermi_table* table = nullptr;
  dpfermi_error* error = nullptr;
  check(load(options, &table, &error), error);
  dpfermi_table_free(table);
}

void check_plan(const char* request) {
  static const dpfermi_table* const kTable = [] {
    dpfermi_table* made = nullptr;
    const char* options =
        R"({"target": "income", "sensitive": ["sex"], "sensitive_values": {"sex": ["f", "m"]}})";
    if (load(options, &made, nullptr) != DPFERMI_OK) std::abort();
    return made;
  }();
  dpfermi_text* plan = nullptr;
  dpfermi_error* error = nullptr;
  check(dpfermi_plan(kTable, request, &plan, &error), error);
  dpfermi_text_free(plan);
}

template <class Ask>
void check_answer(Ask ask, const char* request) {
  dpfermi_text* answer = nullptr;
  dpfermi_error* error = nullptr;
  check(ask(request, &answer, &error), error);
  dpfermi_text_free(answer);
}

// Arrow.

constexpr std::size_t kChildren = 2;
constexpr std::int64_t kMostRows = 16;  // and as much of an offset, of the batch and of the column
constexpr std::size_t kValues = 3 * kMostRows + 1;

/// The bytes of an input, then zeros.
struct Bytes {
  const std::uint8_t* next;
  const std::uint8_t* end;

  std::uint8_t take() { return next == end ? 0 : *next++; }
  /// Mostly as it should be.
  bool rarely() { return take() % 16 == 15; }
  std::int64_t count() {
    const std::uint8_t byte = take();
    if (byte == 255) return INT64_MAX;
    return byte >= 250 ? -byte : byte % kMostRows;
  }
};

struct Column {
  ArrowSchema schema = {}, dictionary_schema = {};
  ArrowArray array = {}, dictionary = {};
  std::uint8_t known[kValues] = {};
  std::int64_t values[2 * kValues] = {};
  std::int64_t texts[64] = {};
  std::int64_t sizes[2] = {};
  const void* buffers[5] = {};

  void fill(Bytes& bytes) {
    static const char* const kFormats[] = {"c", "i",  "l", "f", "g",   "b", "u",
                                           "U", "vu", "n", "Z", "tdD", "S", nullptr};
    schema.name = bytes.rarely() ? nullptr : "column";
    schema.format = kFormats[bytes.take() % 14];
    for (std::uint8_t& byte : known) byte = bytes.take();
    fill_values(bytes, schema.format != nullptr ? schema.format : "");
    std::memset(texts, 'x', sizeof texts);
    sizes[0] = sizes[1] = sizeof texts;
    set(bytes, array);
    if (bytes.take() % 4 == 0) {
      static const char* const kTexts[] = {"u", "U", "vu", "g", nullptr};
      dictionary_schema.format = kTexts[bytes.take() % 5];
      if (!bytes.rarely()) schema.dictionary = &dictionary_schema;
      set(bytes, dictionary);
      if (!bytes.rarely()) array.dictionary = &dictionary;
    }
    if (is_wide(schema.format) || is_wide(dictionary_schema.format)) {
      for (std::int64_t& value : values) value &= 0xFF;
    }
  }

  static bool is_wide(const char* format) {
    return format != nullptr && std::string_view(format) == "U";
  }

  /// Places of texts stay inside of them, unless they are negative, which can be told. A column
  /// shares its values with its dictionary.
  void fill_values(Bytes& bytes, std::string_view format) {
    auto* words = reinterpret_cast<std::int32_t*>(values);
    for (std::size_t i = 0; i < 4 * kValues; ++i) words[i] = bytes.take();
    if (format != "vu" && bytes.rarely()) words[bytes.take() % kValues] = -1;
  }

  void set(Bytes& bytes, ArrowArray& into) {
    into.length = bytes.count();
    into.offset = bytes.rarely() ? bytes.count() : 0;
    into.null_count = static_cast<std::int8_t>(bytes.take() % 4) - 1;
    into.n_buffers = bytes.rarely() ? bytes.take() % 6 : 5;
    const void* all[] = {known, values, texts, texts, sizes};
    for (std::size_t b = 0; b < 5; ++b) buffers[b] = bytes.rarely() ? nullptr : all[b];
    into.buffers = bytes.rarely() ? nullptr : buffers;
  }
};

struct Producer {
  Column columns[kChildren];
  ArrowSchema* schemas[kChildren] = {};
  ArrowArray* arrays[kChildren] = {};
  ArrowArray batch = {};
  std::int64_t children = kChildren;
  const char* format = "+s";
  int batches = 0, fails = -1, given = 0, alive = 0;

  static Producer& of(ArrowArrayStream* stream) {
    return *static_cast<Producer*>(stream->private_data);
  }
  template <class Struct>
  static void release(Struct* given) {
    --static_cast<Producer*>(given->private_data)->alive;
    given->release = nullptr;
  }

  explicit Producer(Bytes& bytes) {
    for (std::size_t c = 0; c < kChildren; ++c) {
      columns[c].fill(bytes);
      schemas[c] = bytes.rarely() ? nullptr : &columns[c].schema;
      arrays[c] = bytes.rarely() ? nullptr : &columns[c].array;
    }
    if (bytes.rarely()) format = "u";
    if (bytes.rarely()) children = bytes.take() % 3;
    batches = bytes.take() % 3;
    if (bytes.rarely()) fails = 1;
    batch.length = bytes.rarely() ? bytes.count() : columns[0].array.length;
    batch.offset = bytes.rarely() ? bytes.count() : 0;
    batch.n_children = bytes.rarely() ? 1 : children;
    batch.children = bytes.rarely() ? nullptr : arrays;
    batch.release = release;
    batch.private_data = this;
  }

  ArrowArrayStream stream() {
    ++alive;
    return {[](ArrowArrayStream* from, ArrowSchema* out) {
              Producer& me = of(from);
              *out = {};
              out->format = me.format;
              out->n_children = me.children;
              out->children = me.schemas;
              out->release = release;
              out->private_data = &me;
              ++me.alive;
              return 0;
            },
            [](ArrowArrayStream* from, ArrowArray* out) {
              Producer& me = of(from);
              *out = {};
              if (me.given == me.fails) return 5;
              if (me.given++ == me.batches) return 0;
              *out = me.batch;
              ++me.alive;
              return 0;
            },
            [](ArrowArrayStream*) -> const char* { return nullptr; }, release, this};
  }
};

void check_arrow(const std::uint8_t* data, std::size_t size) {
  Bytes bytes{data, data + size};
  Producer producer(bytes);
  ArrowArrayStream stream = producer.stream();
  dpfermi_arrow* read = nullptr;
  dpfermi_error* error = nullptr;
  check(dpfermi_arrow_read(&stream, nullptr, &read, &error), error);
  if (producer.alive != 0 || stream.release != nullptr) std::abort();
  const dpfermi_columns* columns = dpfermi_arrow_columns(read);
  if (columns != nullptr) {
    dpfermi_table* table = nullptr;
    check(dpfermi_table_load(columns, R"({"target": "column"})", &table, &error), error);
    dpfermi_table_free(table);
  }
  dpfermi_arrow_free(read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 5) {
    case 0:
      check_load(text.c_str());
      break;
    case 1:
      check_plan(text.c_str());
      break;
    case 2:
      check_answer(dpfermi_account, text.c_str());
      break;
    case 3:
      check_answer(dpfermi_calibrate, text.c_str());
      break;
    default:
      check_arrow(data + 1, size - 1);
  }
  return 0;
}
