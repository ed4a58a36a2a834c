#include "vision/component_network.h"

#include <algorithm>
#include <numeric>

#include "vision/process.h"
#include "vision/wire.h"

namespace dpfermi::deep {
namespace {

std::vector<float> to_floats(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace

ComponentNetwork::ComponentNetwork(std::unique_ptr<Process> process)
    : process_(std::move(process)) {}
ComponentNetwork::ComponentNetwork(ComponentNetwork&&) noexcept = default;
ComponentNetwork& ComponentNetwork::operator=(ComponentNetwork&&) noexcept = default;
ComponentNetwork::~ComponentNetwork() = default;

Result<ComponentNetwork> ComponentNetwork::start(const std::string& program,
                                                 std::vector<std::string> words,
                                                 std::vector<std::uint32_t> images) {
  DPFERMI_ASSIGN(std::unique_ptr<Process> process, Process::start(program, std::move(words)));
  ComponentNetwork network(std::move(process));
  Process& line = *network.process_;
  Greeting greeting{.magic = 0};
  DPFERMI_TRY(line.receive(std::span(&greeting, 1)));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  if (greeting.magic != Greeting::kMagic || greeting.parameters > kMost ||
      greeting.images > kMost || greeting.classes > 65'535) {
    return failed(program + ": is not the dpfermi-deep of this version; build both anew");
  }
  network.classes_ = greeting.classes;
  network.images_ = std::move(images);
  if (network.images_.empty()) {
    network.images_.resize(greeting.images);
    std::iota(network.images_.begin(), network.images_.end(), 0U);
  }
  if (!network.images_.empty() && std::ranges::max(network.images_) >= greeting.images) {
    return failed("the data has more images than the pack; pack them again");
  }
  const Request request{.command = Command::kGetParameters};
  DPFERMI_TRY(line.send(std::span(&request, 1)));
  std::vector<float> theta(greeting.parameters);
  DPFERMI_TRY(line.expect(theta.size() * sizeof(float)));
  DPFERMI_TRY(line.receive(std::span(theta)));
  network.start_.assign(theta.begin(), theta.end());
  return network;
}

Status ComponentNetwork::set_parameters(std::span<const double> theta) {
  const Request request{.command = Command::kSetParameters};
  DPFERMI_TRY(process_->send(std::span(&request, 1)));
  const std::vector<float> values = to_floats(theta);
  DPFERMI_TRY(process_->send(std::span(values)));
  return process_->expect(0);
}

Status ComponentNetwork::send_rows(const NetworkRows& rows, double clip_norm, double longest,
                                   bool secret) {
  const Request request{.command = secret ? Command::kClippedSum : Command::kGradient,
                        .count = static_cast<std::uint32_t>(rows.rows.size()),
                        .lines = static_cast<std::uint32_t>(rows.functionals.size() / classes_),
                        .loss_weight = static_cast<float>(rows.loss_weight),
                        .tau = rows.tau,
                        .clip_norm = clip_norm,
                        .longest = longest};
  std::vector<std::uint32_t> members;
  members.reserve(rows.rows.size());
  for (const std::uint32_t row : rows.rows) members.push_back(images_[row]);
  const std::vector<float> functionals = to_floats(rows.functionals);
  DPFERMI_TRY(process_->send(std::span(&request, 1)));
  DPFERMI_TRY(process_->send(std::span<const std::uint32_t>(members)));
  DPFERMI_TRY(process_->send(rows.which));
  return process_->send(std::span<const float>(functionals));
}

Status ComponentNetwork::gradient(const NetworkRows& rows, std::span<double> mean,
                                  std::span<double> f) {
  DPFERMI_TRY(send_rows(rows, 0, 0, false));
  std::vector<float> values(mean.size() + f.size());
  DPFERMI_TRY(process_->expect(values.size() * sizeof(float)));
  DPFERMI_TRY(process_->receive(std::span(values)));
  std::copy_n(values.begin(), mean.size(), mean.begin());
  std::copy_n(values.end() - static_cast<std::ptrdiff_t>(f.size()), f.size(), f.begin());
  return {};
}

Status ComponentNetwork::clipped_sum(const NetworkRows& rows, double clip_norm, double longest,
                                     std::span<std::int64_t> sums, std::span<double> f) {
  DPFERMI_TRY(send_rows(rows, clip_norm, longest, true));
  std::vector<float> values(f.size());
  DPFERMI_TRY(process_->expect(sums.size_bytes() + values.size() * sizeof(float)));
  DPFERMI_TRY(process_->receive(sums));
  DPFERMI_TRY(process_->receive(std::span(values)));
  std::ranges::copy(values, f.begin());
  return {};
}

Status ComponentNetwork::probabilities(std::span<const std::uint32_t> rows, std::span<double> f) {
  const Request request{.command = Command::kProbabilities,
                        .count = static_cast<std::uint32_t>(rows.size())};
  std::vector<std::uint32_t> members;
  members.reserve(rows.size());
  for (const std::uint32_t row : rows) members.push_back(images_[row]);
  DPFERMI_TRY(process_->send(std::span(&request, 1)));
  DPFERMI_TRY(process_->send(std::span<const std::uint32_t>(members)));
  std::vector<float> values(f.size());
  DPFERMI_TRY(process_->expect(values.size() * sizeof(float)));
  DPFERMI_TRY(process_->receive(std::span(values)));
  std::ranges::copy(values, f.begin());
  return {};
}

}  // namespace dpfermi::deep
