#pragma once

/// The notions of the library, in the order of tables and files: one line each. X is the name of
/// the descriptor, which notions/X.cc defines.

#define DPFERMI_NOTIONS(X) \
  X(demographic_parity)    \
  X(equalized_odds)        \
  X(equal_opportunity)
