#include "privacy/accountant/fourier.h"

#include <bit>
#include <cmath>

#define EIGEN_MPL2_ONLY
#include <unsupported/Eigen/FFT>

#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

/// Plans (tables of sines and cosines) cost more than a transform; each thread keeps its own.
Eigen::FFT<double>& plans() {
  thread_local Eigen::FFT<double> fft;
  return fft;
}

}  // namespace

std::size_t transform_size(std::size_t least) {
  const std::size_t power = std::bit_ceil(least);
  return power / 4 * 3 >= least && power >= 4 ? power / 4 * 3 : power;
}

void forward_transform(const std::vector<std::complex<double>>& in,
                       std::vector<std::complex<double>>& out) {
  plans().fwd(out, in);
}

void inverse_transform(const std::vector<std::complex<double>>& in,
                       std::vector<std::complex<double>>& out) {
  plans().inv(out, in);
}

double transform_error(std::size_t size) {
  return 20 * kRoundOff * (std::log2(static_cast<double>(size)) + 1);
}

}  // namespace dpfermi::accountant
