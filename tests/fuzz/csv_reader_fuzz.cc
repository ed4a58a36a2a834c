// Any bytes are a table or an error, never a crash; and the reader does not care how its input is
// cut into pieces. The first byte chooses the format, the second the size of the pieces.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "data/csv_reader.h"
#include "data/table_reader.h"

namespace {

using namespace dpfermi;

class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string_view text, std::size_t piece)
      : ByteSource("fuzz"), text_(text), piece_(piece) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t count = std::min({piece_, buffer.size(), text_.size()});
    std::memcpy(buffer.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

/// Everything the reader has to say about `text`, in one string.
std::string transcript(std::string_view text, const CsvFormat& format, std::size_t piece) {
  auto reader = CsvReader::open(std::make_unique<PieceSource>(text, piece), format);
  if (!reader) return reader.error().message;
  std::string said;
  while (true) {
    const auto more = reader->next();
    if (!more) return said + more.error().message;
    if (!*more) return said;
    if (reader->fields().size() != reader->names().size()) std::abort();
    said += std::to_string(reader->line()) + ":";
    for (const std::string_view field : reader->fields()) said.append(field).push_back('|');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  CsvFormat format;
  format.header = static_cast<HeaderRule>(data[0] % 3);
  if ((data[0] & 4U) != 0) format.comment = "#";
  if ((data[0] & 8U) != 0) format.delimiter = ';';
  format.skip_lines = (data[0] >> 4U) % 3;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (transcript(text, format, size) != transcript(text, format, 1 + data[1] % 7)) std::abort();

  Schema schema;
  schema.format = format;
  schema.missing = static_cast<MissingPolicy>(data[1] % 3);
  schema.target.column = "column1";
  schema.sensitive = {{.column = "column2", .values = {"a", "b"}}};
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("fuzz", std::string(text)));
  const auto table = read_table(std::move(sources), schema);
  if (table && table->domain.size() != 3) std::abort();
  return 0;
}
