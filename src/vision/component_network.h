#pragma once

/// A DeepNetwork in the program dpfermi-deep: started here, asked over a socket (vision/wire.h). It
/// lives as long as the object; what kills it ends the run with one line.

#include <memory>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "model/deep_network.h"

namespace dpfermi::deep {

/// What a failed dpfermi-deep meant, from the last line that it wrote to standard error.
std::string reason_of(const std::string& last_line);

class ComponentNetwork final : public DeepNetwork {
 public:
  /// Starts `program` with `words` (serve and its flags) and waits until images are loaded. Row i
  /// of the training data is image `images[i]` of the pack; empty: all of them, in order.
  static Result<ComponentNetwork> start(const std::string& program, std::vector<std::string> words,
                                        std::vector<std::uint32_t> images = {});

  ComponentNetwork(ComponentNetwork&&) noexcept;
  ComponentNetwork& operator=(ComponentNetwork&&) noexcept;
  ComponentNetwork(const ComponentNetwork&) = delete;
  ComponentNetwork& operator=(const ComponentNetwork&) = delete;
  ~ComponentNetwork() override;

  std::size_t classes() const override { return classes_; }
  std::size_t rows() const override { return images_.size(); }
  const std::vector<double>& start() const override { return start_; }
  Status set_parameters(std::span<const double> theta) override;
  Status gradient(const NetworkRows& rows, std::span<double> mean, std::span<double> f) override;
  Status clipped_sum(const NetworkRows& rows, double clip_norm, double longest,
                     std::span<std::int64_t> sums, std::span<double> f) override;

  /// F of rows (rows x classes), at the parameters that were set last.
  Status probabilities(std::span<const std::uint32_t> rows, std::span<double> f);

 private:
  class Process;
  explicit ComponentNetwork(std::unique_ptr<Process> process);

  Status send_rows(const NetworkRows& rows, double clip_norm, double longest, bool secret);

  std::unique_ptr<Process> process_;
  std::size_t classes_ = 0;
  std::vector<std::uint32_t> images_;
  std::vector<double> start_;
};

}  // namespace dpfermi::deep
