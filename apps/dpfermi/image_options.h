#pragma once

/// The flags of training on images, and what they amount to.

#include <cstdint>
#include <optional>
#include <string>

#include "image_table.h"

namespace dpfermi::cli {

class ImageOptions {
 public:
  void add_to(CLI::App& verb);

  /// Whether a network was asked for.
  bool given() const { return !shape_.model.empty(); }

  /// Whether its parameters, all of them, are what is trained privately.
  Result<bool> whole_network() const;

  /// The images of a run and the plan for them, in the folder --work (`otherwise` where none was
  /// named). `method` decides about features where no flag does. Nothing is made yet.
  Result<EmbeddedImages> gather(const Context& context, const TableChoice& images,
                                const SplitChoice& split, const std::string& otherwise,
                                Method method) const;

 private:
  void add_schedule(CLI::App& verb);

  FeatureChoice features(Method method) const;

  /// Refuses rates that dpfermi-deep would refuse when something was paid for.
  Status check_rates() const;

  /// Refuses flags of a network that there is only where images are public.
  Status check_unused(Adjacency adjacency) const;

  const CLI::App* verb_ = nullptr;
  std::string images_, column_, work_, private_part_ = "last-layer";
  NetworkShape shape_;
  NetworkSchedule schedule_;
  std::optional<std::size_t> components_, pictures_;  ///< nothing: as the method needs them
  std::uint32_t tuning_epochs_ = 12;
  double tuning_rate_ = 3e-4;
};

}  // namespace dpfermi::cli
