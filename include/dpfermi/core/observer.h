#pragma once

/// How long work talks to its caller: remarks, progress, and the question whether to stop. The
/// library itself prints nothing and catches no signal.

#include <string>
#include <string_view>

namespace dpfermi {

/// A piece of work that takes a while.
struct Task {
  std::string name;        ///< "training"
  bool stops = false;      ///< asks interrupted() and ends in order
  bool unhurried = false;  ///< takes so long that a line now and then is welcome in a log
};

/// Every function may be overridden; the defaults ignore what they are told. Tasks may be nested.
/// A sweep calls advance_task() from its workers, one call at a time, and interrupted() from any of
/// them at any time; all other calls come from the thread that started the work.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A remark for people, one line. Settings are named as in an Error.
  virtual void note(std::string_view) {}

  virtual void begin_task(const Task&) {}
  /// `total` 0 means unknown.
  virtual void advance_task(double /*done*/, double /*total*/) {}
  virtual void end_task() {}

  /// Progress in the words of another program; each line replaces the one before.
  virtual void show_progress(std::string_view) {}
  virtual void end_progress() {}

  /// Whether the work is to end as soon as it can.
  virtual bool interrupted() { return false; }
};

/// Begins a task, and ends it when it goes out of scope.
class ObservedTask {
 public:
  ObservedTask(Observer& observer, const Task& task) : observer_(&observer) {
    observer_->begin_task(task);
  }
  ~ObservedTask() { observer_->end_task(); }
  ObservedTask(const ObservedTask&) = delete;
  ObservedTask& operator=(const ObservedTask&) = delete;

  void advance(double done, double total) { observer_->advance_task(done, total); }

 private:
  Observer* observer_;
};

}  // namespace dpfermi
