#pragma once

/// The bell curve f(x) = exp(-x^2/2) in exact integer arithmetic, for what the fast comparisons in
/// bell.h leave open.

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace dpfermi::bell {

/// Unsigned, 1024 bits, no allocation.
using Big = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    1024, 1024, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;

/// Values are integers over 2^kFraction.
inline constexpr int kFraction = 256;

/// f(x) 2^256 for x = numerator / 2^bits; requires x < 32 and bits <= 128. Off by less than
/// 2^(256-200). Why: y = x^2/2 < 512 is exact up to 2^-256; exp(-y/1024), with an argument below
/// 1/2, is a Taylor sum of 64 terms (remainder < 2^-300, each term rounded by < 2^-255); ten
/// squarings of a number <= 1 multiply the error by at most 2^10 and add as much again.
Big value(const Big& numerator, int bits);

}  // namespace dpfermi::bell
