#include <fmt/format.h>

#include <array>

#include "core/file.h"
#include "core/text.h"
#include "dpfermi/dpfermi.h"
#include "export/formats.h"

namespace dpfermi {
namespace {

constexpr std::array<std::pair<ExportFormat, std::string_view>, 3> kFormats{
    {{ExportFormat::kOnnx, "onnx"}, {ExportFormat::kSql, "sql"}, {ExportFormat::kJson, "json"}}};

}  // namespace

Result<ExportFormat> parse_export_format(std::string_view text) {
  for (const auto& [format, name] : kFormats) {
    if (name == text) return format;
  }
  return usage_error(
      fmt::format("'{}' is not a format of export; choose onnx, sql or json", printable(text)));
}

Result<std::string> export_model(const Model& model, const ExportOptions& options) {
  switch (options.format) {
    case ExportFormat::kOnnx:
      return export_onnx(model.parts());
    case ExportFormat::kSql:
      return export_sql(model.parts(), options.table);
    case ExportFormat::kJson:
      return export_json(model.parts());
  }
  return usage_error("this format of export is not known");
}

}  // namespace dpfermi
