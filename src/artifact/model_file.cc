#include "artifact/model_file.h"

#include <fmt/format.h>

#include "artifact/framed_file.h"
#include "artifact/model_header.h"
#include "core/file.h"
#include "data/checksum.h"

namespace dpfermi {
namespace {

constexpr FileKind kModel = {"dpfermi-model", "model file", "dpfermi train --out"};

Result<TrainedModel> decode_model_parts(std::string_view bytes) {
  DPFERMI_ASSIGN(const FramedParts parts, unframe(kModel, bytes));
  DPFERMI_ASSIGN(ModelHeader header, header_from_json(std::string(parts.header)));
  const std::size_t held = parts.numbers.size();
  const std::uint64_t promised = header.parameters + header.network_parameters + header.components;
  if (held % 4 != 0 || held / 4 != promised) {
    return failed(fmt::format(
        "holds {} bytes of parameters, its header says {} numbers; train again", held, promised));
  }
  TrainedModel model = std::move(header.model);
  std::size_t next = 0;
  const auto take = [&](std::uint64_t count, std::vector<float>& into) {
    for (std::uint64_t i = 0; i < count; ++i) into.push_back(float_at(parts.numbers, next++));
  };
  take(header.parameters, model.theta);
  if (model.network) {
    take(header.network_parameters, model.network->theta);
    take(header.components, model.network->components);
  }
  DPFERMI_TRY(check_model(model));
  return model;
}

/// The bytes that follow the header.
std::string numbers_of(const TrainedModel& model) {
  std::string numbers;
  numbers.reserve(4 * model.theta.size());
  for (const float value : model.theta) append_float(numbers, value);
  if (model.network) {
    for (const float value : model.network->theta) append_float(numbers, value);
    for (const float value : model.network->components) append_float(numbers, value);
  }
  return numbers;
}

}  // namespace

Result<std::string> model_digest(const TrainedModel& model) {
  DPFERMI_TRY(check_model(model));
  TrainedModel promised = model;
  promised.training.library_version.clear();
  promised.gains.clear();
  promised.privacy.recorded.reset();
  promised.privacy.recorded_before.reset();
  DPFERMI_ASSIGN(const std::string header, header_to_json(promised));
  // The header says how many numbers follow it, so no two models have the same text.
  return sha256_of_bytes("dpfermi-model-digest 1\n" + header + "\n" + numbers_of(promised));
}

Result<std::string> encode_model(const TrainedModel& model) {
  DPFERMI_TRY(check_model(model));
  DPFERMI_ASSIGN(const std::string header, header_to_json(model));
  return frame(kModel, header, numbers_of(model));
}

Result<TrainedModel> decode_model(std::string_view bytes, const std::string& origin) {
  auto model = decode_model_parts(bytes);
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

bool looks_like_model(const std::filesystem::path& path) {
  return begins_as(kModel, path);
}

}  // namespace dpfermi
