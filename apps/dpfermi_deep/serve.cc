#include "serve.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <vector>

#include "vision/network_files.h"
#include "vision/wire.h"

namespace dpfermi::deep {
namespace {

/// A line to the tool that breaks ends the server: no one is left to report to.
class Line {
 public:
  /// What libraries print must not get between answers: standard output becomes standard error.
  Line() : out_(dup(STDOUT_FILENO)) {
    if (out_ < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
      throw Failure("standard output cannot be used; start this from dpfermi");
    }
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { close(out_); }

  /// False where the tool has gone.
  bool read(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = ::read(STDIN_FILENO, at, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  void write(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t put = ::write(out_, at, size);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) throw Failure("the tool does not listen any more; start it again");
      at += put;
      size -= static_cast<std::size_t>(put);
    }
  }

 private:
  int out_;
};

class Server {
 public:
  Server(DeepModel& model, std::size_t images, std::size_t classes)
      : model_(&model), images_(images), classes_(classes), theta_(model.parameters()) {}

  void run() {
    const Greeting greeting{
        .parameters = model_->parameters(), .images = images_, .classes = classes_};
    line_.write(&greeting, sizeof greeting);
    Request request;
    while (line_.read(&request, sizeof request)) {
      if (!take(request)) return;
      answer(request);
    }
  }

 private:
  /// Reads what belongs to the request.
  bool take(const Request& request) {
    constexpr std::uint32_t kMostLines = 1U << 20;
    if (request.count > 2 * images_ || request.lines > kMostLines) {
      throw Failure("a request makes no sense; use a tool and a dpfermi-deep of one version");
    }
    members_.resize(request.count);
    which_.resize(request.count);
    functionals_.resize(request.lines * classes_);
    f_.resize(request.count * classes_);
    const auto read = [&](auto& values) {
      return line_.read(values.data(), values.size() * sizeof values[0]);
    };
    switch (request.command) {
      case Command::kSetParameters:
        return read(theta_);
      case Command::kGetParameters:
        return true;
      case Command::kProbabilities:
        return read(members_);
      case Command::kGradient:
      case Command::kClippedSum:
        return read(members_) && read(which_) && read(functionals_);
    }
    throw Failure("a request is unknown; use a tool and a dpfermi-deep of one version");
  }

  void answer(const Request& request) {
    const Rows rows{members_, request.loss_weight, functionals_, which_, request.tau};
    switch (request.command) {
      case Command::kSetParameters:
        return say(model_->set_parameters(theta_));
      case Command::kGetParameters:
        return say(model_->copy_parameters(theta_), theta_);
      case Command::kProbabilities:
        return say(model_->probabilities(members_, f_), f_);
      case Command::kGradient: {
        Outcome outcome = model_->public_gradient(rows, f_);
        if (!outcome) outcome = model_->copy_public_gradient(theta_);
        return say(outcome, theta_, f_);
      }
      case Command::kClippedSum: {
        sums_.resize(model_->parameters());
        Outcome outcome = model_->sum_start(rows, {request.clip_norm, request.longest});
        if (!outcome) outcome = model_->sum_finish(sums_, f_);
        return say(outcome, sums_, f_);
      }
    }
  }

  template <class... Values>
  void say(const Outcome& outcome, const Values&... values) {
    if (outcome) {
      const Answer head{.wrong = 1, .bytes = outcome->message.size()};
      line_.write(&head, sizeof head);
      line_.write(outcome->message.data(), outcome->message.size());
      return;
    }
    const Answer head{.wrong = 0,
                      .bytes = (std::uint64_t{0} + ... + (values.size() * sizeof values[0]))};
    line_.write(&head, sizeof head);
    (line_.write(values.data(), values.size() * sizeof values[0]), ...);
  }

  DeepModel* model_;
  std::size_t images_, classes_;
  Line line_;
  std::vector<std::uint32_t> members_, which_;
  std::vector<float> functionals_, theta_, f_;
  std::vector<std::int64_t> sums_;
};

}  // namespace

void serve(DeepModel& model, std::size_t images, std::size_t classes) {
  // Ctrl-C is for the tool, which ends this by closing the line; a tool that has gone is not a
  // crash.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  Server(model, images, classes).run();
}

}  // namespace dpfermi::deep
