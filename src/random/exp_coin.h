#pragma once

/// Coins of bias exp(-gamma), from coins of rational bias (Canonne, Kamath, Steinke 2020).

#include <cstdint>

#include "random/uniform.h"

namespace dpfermi {

/// Algorithm 1 of the paper: true with probability exp(-gamma), gamma in [0, 1]. The first k for
/// which a coin of bias gamma / k fails is odd with that probability; coin(k) is that coin.
template <class Coin>
bool exp_coin(Coin&& coin) {
  std::uint64_t k = 1;
  while (coin(k)) ++k;
  return k % 2 == 1;
}

template <WordSource Words>
bool coin_of_exp_minus_one(Words& words) {
  return exp_coin([&](std::uint64_t k) { return bernoulli(1, k, words); });
}

}  // namespace dpfermi
