#pragma once

/// A stream of bytes with a name: a file, standard input, memory, or any of them through gzip.

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dpfermi/core/result.h"

namespace dpfermi {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills a part of `buffer` and returns how many bytes; 0 means the end.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;

  /// How many bytes there are in all, 0 if that is not known beforehand.
  virtual std::size_t size_hint() const { return 0; }

  /// How messages call it: the path, or "standard input".
  const std::string& name() const { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// Opens a path, or standard input for "-". Gzip is recognised by its first bytes, not by its name.
/// "archive.zip/folder/member.csv" is a member of a zip file, "archive.zip" its only one.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

/// Text that is already in memory.
std::unique_ptr<ByteSource> memory_source(std::string name, std::string text);

}  // namespace dpfermi
