#include "vision/network_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

namespace dpfermi::deep {
namespace {

constexpr const char* kMagic = "dpfermi-network 1";

template <class T>
std::vector<T> read_values(const std::string& path, std::optional<std::size_t> count) {
  const MappedFile file(path);
  const std::size_t size = file.bytes().size();
  const std::size_t wanted = count.value_or(size / sizeof(T)) * sizeof(T);
  if (size != wanted) {
    throw Failure(path + ": has " + std::to_string(size) + " bytes, not " + std::to_string(wanted) +
                  "; make it again");
  }
  std::vector<T> values(size / sizeof(T));
  if (size > 0) std::memcpy(values.data(), file.bytes().data(), size);
  return values;
}

void write_whole(const std::string& path, const std::string& head,
                 std::span<const std::byte> values) {
  // Runs may share a folder.
  const std::string draft = path + "." + std::to_string(getpid()) + ".part";
  {
    std::ofstream out(draft, std::ios::binary);
    out << head;
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size()));
    out.flush();
    if (!out) {
      std::remove(draft.c_str());
      throw Failure(path + ": cannot be written; check the folder and the free space");
    }
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) {
    std::remove(draft.c_str());
    throw Failure(path + ": cannot be replaced; check the folder's permissions");
  }
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || fstat(file, &about) != 0) {
    if (file >= 0) close(file);
    throw Failure(path + ": cannot be read; check the path");
  }
  size_ = static_cast<std::size_t>(about.st_size);
  void* data = size_ == 0 ? nullptr : mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (data == MAP_FAILED) throw Failure(path + ": cannot be mapped; check the free memory");
  data_ = static_cast<const std::uint8_t*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

void write_network(const std::string& path, const NetworkFile& network) {
  write_whole(path,
              std::string(kMagic) + "\n" + network.settings + "\n" +
                  std::to_string(network.epochs) + "\n" + std::to_string(network.theta.size()) +
                  "\n",
              std::as_bytes(std::span(network.theta)));
}

NetworkFile read_network(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure(path + ": cannot be read; check the path");
  NetworkFile network;
  std::string magic;
  std::size_t count = 0;
  std::getline(in, magic);
  std::getline(in, network.settings);
  in >> network.epochs >> count;
  in.get();
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (!in || magic != kMagic || count > kMost) {
    throw Failure(path + ": is not a network of dpfermi; train one");
  }
  network.theta.resize(count);
  in.read(reinterpret_cast<char*>(network.theta.data()),
          static_cast<std::streamsize>(count * sizeof(float)));
  if (!in || in.peek() != std::ifstream::traits_type::eof()) {
    throw Failure(path + ": is not whole; remove it, and run this again");
  }
  return network;
}

std::vector<std::uint16_t> read_labels(const std::string& path, std::size_t count) {
  return read_values<std::uint16_t>(path, count);
}

std::vector<float> read_floats(const std::string& path, std::size_t count) {
  return read_values<float>(path, count);
}

std::vector<float> read_floats(const std::string& path) {
  return read_values<float>(path, std::nullopt);
}

void write_labels(const std::string& path, std::span<const std::uint16_t> values) {
  write_whole(path, "", std::as_bytes(values));
}

void write_floats(const std::string& path, std::span<const float> values) {
  write_whole(path, "", std::as_bytes(values));
}

}  // namespace dpfermi::deep
