#include <ATen/ATen.h>

#include <utility>

#include "torch/chain.h"

namespace dpfermi::deep {
namespace {

/// The derivative at the input needs a walk through both ways, which the gradients take anyway:
/// they keep it for backward().
class Residual final : public Layer {
 public:
  Residual(std::vector<std::unique_ptr<Layer>> body, std::vector<std::unique_ptr<Layer>> shortcut)
      : body_(std::move(body)), shortcut_(std::move(shortcut)) {}

  std::int64_t parameters() const override { return body_.parameters() + shortcut_.parameters(); }

  void bind(const at::Tensor& theta) override {
    body_.bind(of_body(theta));
    shortcut_.bind(of_shortcut(theta));
  }

  at::Tensor forward(const at::Tensor& x) override {
    return body_.forward(x) + shortcut_.forward(x);
  }

  at::Tensor backward(const at::Tensor& /*d*/) override {
    return std::exchange(at_input_, at::Tensor());
  }

  void add_gradient(const at::Tensor& d, const at::Tensor& gradient) override {
    at_input_ = body_.add_gradient(d, of_body(gradient), kWanted) +
                shortcut_.add_gradient(d, of_shortcut(gradient), kWanted);
  }

  void add_norms(const at::Tensor& d, const at::Tensor& norms) override {
    at_input_ = body_.add_norms(d, norms, kWanted) + shortcut_.add_norms(d, norms, kWanted);
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) override {
    body_.add_clipped(factors, of_body(sums));
    shortcut_.add_clipped(factors, of_shortcut(sums));
  }

  void forget() override {
    body_.forget();
    shortcut_.forget();
    at_input_.reset();
  }

 private:
  static constexpr Chain::Input kWanted = Chain::Input::kWanted;

  at::Tensor of_body(const at::Tensor& all) const { return all.narrow(0, 0, body_.parameters()); }
  at::Tensor of_shortcut(const at::Tensor& all) const {
    return all.narrow(0, body_.parameters(), shortcut_.parameters());
  }

  Chain body_, shortcut_;
  at::Tensor at_input_;
};

}  // namespace

std::unique_ptr<Layer> make_residual(std::vector<std::unique_ptr<Layer>> body,
                                     std::vector<std::unique_ptr<Layer>> shortcut) {
  return std::make_unique<Residual>(std::move(body), std::move(shortcut));
}

}  // namespace dpfermi::deep
