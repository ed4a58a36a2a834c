#pragma once

/// The files that the component and the tool exchange. Only standard headers: the component is
/// built where the rest of the library is not.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace dpfermi::deep {

/// Ends the program with one line; thrown by everything here and caught in main.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A read-only view of a file in memory.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What comes before the caller's stamp at the end of a network's settings.
inline constexpr const char* kBeforeStamp = " stamp ";

/// A network between runs: what it was made with, how far it got, its parameters.
struct NetworkFile {
  std::string settings;      ///< one line; a run goes on from a file with equal settings only
  std::uint32_t epochs = 0;  ///< made
  std::vector<float> theta;
};

/// Replaces `path` in one step.
void write_network(const std::string& path, const NetworkFile& network);
NetworkFile read_network(const std::string& path);

/// Values as they lie in memory: exactly `count`, or as many as there are.
std::vector<std::uint16_t> read_labels(const std::string& path, std::size_t count);
std::vector<float> read_floats(const std::string& path, std::size_t count);
std::vector<float> read_floats(const std::string& path);
/// Replace `path` in one step.
void write_labels(const std::string& path, std::span<const std::uint16_t> values);
void write_floats(const std::string& path, std::span<const float> values);

}  // namespace dpfermi::deep
