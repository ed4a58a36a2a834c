#include "dpfermi/artifact/model_file.h"

#include <fmt/format.h>

#include "artifact/framed_file.h"
#include "artifact/model_header.h"
#include "dpfermi/core/file.h"

namespace dpfermi {
namespace {

constexpr FileKind kModel = {"dpfermi-model", "model file", "dpfermi train --out"};

Result<TrainedModel> decode(std::string_view bytes) {
  DPFERMI_ASSIGN(const FramedParts parts, unframe(kModel, bytes));
  DPFERMI_ASSIGN(ModelHeader header, header_from_json(std::string(parts.header)));
  const std::size_t held = parts.numbers.size();
  if (held % 4 != 0 || held / 4 != header.parameters) {
    return failed(
        fmt::format("holds {} bytes of parameters, its header says {} numbers; train again", held,
                    header.parameters));
  }
  TrainedModel model = std::move(header.model);
  model.theta.reserve(held / 4);
  for (std::size_t i = 0; i < held / 4; ++i) model.theta.push_back(float_at(parts.numbers, i));
  DPFERMI_TRY(check_model(model));
  return model;
}

}  // namespace

Result<std::string> encode_model(const TrainedModel& model) {
  DPFERMI_TRY(check_model(model));
  DPFERMI_ASSIGN(const std::string header, header_to_json(model));
  std::string numbers;
  numbers.reserve(4 * model.theta.size());
  for (const float value : model.theta) append_float(numbers, value);
  return frame(kModel, header, numbers);
}

Result<TrainedModel> decode_model(std::string_view bytes, const std::string& origin) {
  auto model = decode(bytes);
  if (!model) return tl::unexpected(in_file(origin, model.error()));
  return model;
}

Status write_model(const TrainedModel& model, const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, encode_model(model));
  DPFERMI_TRY(decode_model(bytes, path.string()));
  return write_file_atomically(path, bytes);
}

Result<TrainedModel> read_model(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, read_framed(kModel, path));
  return decode_model(bytes, path.string());
}

}  // namespace dpfermi
