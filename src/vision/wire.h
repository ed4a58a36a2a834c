#pragma once

/// What a tool and `dpfermi-deep serve` say to each other. Both run on one machine, so numbers are
/// as in memory. Strictly by turns: the server greets, then answers every request. Standard headers
/// only: both sides include it.
///
///   greeting                                        Greeting
///   kSetParameters   floats (parameters)         -> nothing
///   kGetParameters                               -> floats (parameters)
///   kGradient        members, which, functionals -> floats (parameters), floats (count x classes)
///   kClippedSum      the same                    -> int64 (parameters), floats (count x classes)
///   kProbabilities   members                     -> floats (count x classes)
/// Members and `which` are uint32 (count each), functionals floats (lines x classes). An answer
/// begins with an Answer; where `wrong` is set, its bytes are one line of text.

#include <cstdint>

namespace dpfermi::deep {

enum class Command : std::uint32_t {
  kSetParameters = 1,
  kGetParameters,
  kGradient,
  kClippedSum,
  kProbabilities,
};

struct Greeting {
  static constexpr std::uint64_t kMagic = 0x32706565'64667064;  ///< "dpfdeep2"
  std::uint64_t magic = kMagic;
  std::uint64_t parameters = 0;
  std::uint64_t images = 0;
  std::uint64_t classes = 0;
};

struct Request {
  Command command{};
  std::uint32_t count = 0;  ///< members
  std::uint32_t lines = 0;  ///< of functionals
  float loss_weight = 0;
  double tau = 1;
  double clip_norm = 0;
  double longest = 0;
};

struct Answer {
  std::uint64_t wrong = 0;
  std::uint64_t bytes = 0;
};

}  // namespace dpfermi::deep
