#pragma once

/// New images for a model that was trained on images: its own network turns them into features.

#include <filesystem>
#include <string>

#include "cli.h"
#include "dpfermi/artifact/trained_model.h"
#include "table_options.h"

namespace dpfermi::cli {

/// A folder for files that nobody needs afterwards; removed with the object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> create();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

class PredictionImages {
 public:
  void add_to(CLI::App& verb);

  bool given() const { return !images_.empty(); }
  const std::string& column() const { return column_; }
  const std::string& source() const { return images_; }

  /// A table, in `folder`, of what the model's network says about the images that are named in the
  /// column of `names`; one line each, that column in front.
  Result<std::string> embed(const Context& context, const TrainedModel& model,
                            const TableOptions& names, const ScratchFolder& folder) const;

 private:
  std::string images_, column_ = "file", device_ = "cpu", precision_ = "float32";
};

}  // namespace dpfermi::cli
