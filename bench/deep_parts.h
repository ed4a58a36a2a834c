#pragma once

/// What the benchmarks of deep models share: synthetic images and the Privatizer's noise.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "dpfermi/random/key.h"
#include "dpfermi/torch/deep_model.h"
#include "random/key_stream.h"
#include "random/rounded_gaussian.h"

namespace dpfermi::deep::bench {

constexpr double kBits = 0x1p30;
constexpr std::uint32_t kGroups = 5;
constexpr std::uint32_t kClasses = 9;

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

inline void must(const Outcome& outcome) {
  if (outcome) stop(outcome->message);
}

inline std::vector<std::string> parts_of(const char* text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// The Privatizer's noise: a stream per 4096 entries, drawn by several threads beside the GPU.
class Noise {
 public:
  Noise(std::size_t size, unsigned threads)
      : key_(secret()),
        sampler_(*RoundedGaussian::create(0.7 * kBits)),
        draws_(size),
        threads_(threads) {}

  void start() {
    ++step_;
    for (unsigned t = 0; t < threads_; ++t) {
      running_.push_back(std::async(std::launch::async, [this, t] { fill(t); }));
    }
  }

  const std::vector<std::int64_t>& wait() {
    for (auto& part : running_) part.get();
    running_.clear();
    return draws_;
  }

 private:
  static KeyMaterial secret() {
    KeyMaterial::Bytes bytes{};
    std::random_device device;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(device());
    return KeyMaterial(bytes);
  }

  void fill(unsigned first) {
    constexpr std::size_t kBlock = 4096;
    for (std::size_t block = first; block * kBlock < draws_.size(); block += threads_) {
      std::array<std::uint8_t, 16> start{};
      std::memcpy(start.data(), &step_, 6);
      start[8] = static_cast<std::uint8_t>(block >> 8);
      start[9] = static_cast<std::uint8_t>(block);
      KeyStream stream(key_, start);
      const std::size_t from = block * kBlock;
      const auto room = std::span(draws_).subspan(from, std::min(kBlock, draws_.size() - from));
      if (const auto drawn = sampler_.draw(stream, room); !drawn) stop(drawn.error().message);
    }
  }

  KeyMaterial key_;
  RoundedGaussian sampler_;
  std::vector<std::int64_t> draws_;
  unsigned threads_;
  std::uint64_t step_ = 0;
  std::vector<std::future<void>> running_;
};

struct Data {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> groups;
  std::vector<float> by_group, by_condition;
};

/// `images` pictures of side x side.
inline Data invent(std::uint32_t images, std::uint32_t side) {
  std::mt19937 random(7);
  Data data;
  data.pixels.resize(std::size_t{images} * side * side * 3);
  for (auto& byte : data.pixels) byte = static_cast<std::uint8_t>(random());
  for (std::uint32_t i = 0; i < images; ++i) {
    data.labels.push_back(static_cast<std::uint16_t>(random() % kClasses));
    data.groups.push_back(static_cast<std::uint32_t>(random() % kGroups));
  }
  std::uniform_real_distribution<float> uniform(-0.3F, 0.3F);
  for (std::uint32_t j = 0; j < kGroups * kClasses; ++j) data.by_group.push_back(uniform(random));
  for (std::uint32_t j = 0; j < kClasses; ++j) data.by_condition.push_back(uniform(random));
  return data;
}

/// The members of a step's two batches: the secret ones are distinct, as sums ask.
class Batches {
 public:
  Batches(const Data& data, std::uint32_t size)
      : data_(&data), order_(data.labels.size()), open_(size), groups_(size), condition_(size) {
    std::iota(order_.begin(), order_.end(), 0U);
    draw();
  }

  void draw() {
    const std::size_t images = order_.size();
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_[i] = static_cast<std::uint32_t>(random_() % images);
      std::swap(order_[i], order_[i + random_() % (images - i)]);
      groups_[i] = data_->groups[order_[i]];
    }
  }

  Rows open() const { return {open_, 1, data_->by_condition, condition_}; }
  Rows secret() const { return {{order_.data(), open_.size()}, 0, data_->by_group, groups_}; }

 private:
  const Data* data_;
  std::mt19937 random_{3};
  std::vector<std::uint32_t> order_, open_, groups_, condition_;
};

}  // namespace dpfermi::deep::bench
