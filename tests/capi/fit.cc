// The same fit as fit.c, from C++.

#include <dpfermi/dpfermi.h>

#include <cstdio>

int main() {
  using namespace dpfermi;
  const auto data = load("people.csv", {.target = "income",
                                        .positive = "high",
                                        .sensitive = {"sex"},
                                        .sensitive_values = {{"sex", {"female", "male"}}},
                                        .test_fraction = 0});
  if (!data) return complain(data.error());
  auto ledger = open_ledger("cc.db");
  if (!ledger) return complain(ledger.error());
  TrainingRequest request;
  request.method = Method::kDpFermi;
  request.epsilon = 1;
  request.delta = 1e-6;
  request.lambda = 1;
  request.epochs = 3;
  const auto run = train(*data, request, *ledger, {.seed = 3});
  if (!run) return complain(run.error());
  const auto digest = run->model.digest();
  if (!digest) return complain(digest.error());
  std::printf("%s\n", digest->c_str());
  return 0;
}
