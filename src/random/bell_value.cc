#include "random/bell_value.h"

namespace dpfermi::bell {

Big value(const Big& numerator, int bits) {
  constexpr int kHalvings = 10;
  constexpr unsigned kTerms = 64;
  const Big one = Big{1} << kFraction;
  const Big square = numerator * numerator;
  const int excess = 2 * bits + 1 + kHalvings;  // y / 1024 = square / 2^excess
  const Big small = excess <= kFraction ? Big(square << (kFraction - excess))
                                        : Big(square >> (excess - kFraction));
  // Horner: 1 - t(1 - t/2 (1 - t/3 (...))); every bracket lies in [0, 1].
  Big sum = one;
  for (unsigned term = kTerms; term > 0; --term) {
    sum = one - ((small * sum) >> kFraction) / term;
  }
  for (int i = 0; i < kHalvings; ++i) sum = (sum * sum) >> kFraction;
  return sum;
}

}  // namespace dpfermi::bell
