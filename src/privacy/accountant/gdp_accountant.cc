#include "privacy/accountant/gdp_accountant.h"

#include <algorithm>

#include "privacy/accountant/closed_form.h"
#include "privacy/accountant/normal_tail.h"

namespace dpfermi {

using accountant::Component;
using accountant::PairKind;

double gdp_delta(double mu, double epsilon) {
  const accountant::Approximate delta = accountant::gaussian_delta(epsilon, mu);
  return std::min(1.0, delta.value + delta.error);
}

double gdp_epsilon(double mu, double delta) {
  if (mu == 0) return 0;
  const Component gaussian{{.kind = PairKind::kGaussian, .sigma = 1 / mu}, 1};
  return accountant::ClosedForm::of({&gaussian, 1}, delta)->epsilon(delta).upper;
}

double gdp_mu_for(double epsilon, double delta) {
  double low = 0;
  double high = 1;
  while (gdp_delta(high, epsilon) <= delta && high < 1e8) high *= 2;
  while (high - low > 1e-15 * high) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (gdp_delta(middle, epsilon) <= delta ? low : high) = middle;
  }
  return low;
}

}  // namespace dpfermi
