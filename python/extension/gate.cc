#include "extension/gate.h"

#include <pthread.h>

#include "extension/bindings.h"
#include "extension/without_gil.h"

namespace sotto::python {
namespace {

std::atomic<unsigned long> forks = 0;

unsigned long Forks() {
  static const int watched =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  static_cast<void>(watched);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

Gate::Gate() : process_(Forks()) {}

Gate::Pass::Pass(Gate& gate) : gate_(gate) {
  if (gate.process_ != Forks()) {
    Raise({ErrorCode::kFailedPrecondition,
           "this model was made before the process was forked, and goes on in "
           "the first one: a state has one continuation. Save it there and "
           "load it here, or make the model here"});
  }
  if (gate.inside_.load() == std::this_thread::get_id()) {
    Raise({ErrorCode::kFailedPrecondition,
           "the model is at work in this thread already: what it calls must "
           "not call it"});
  }
  if (!gate.mutex_.try_lock()) {
    const WithoutGil released;
    gate.mutex_.lock();
  }
  gate.inside_.store(std::this_thread::get_id());
}

Gate::View::View(Gate& gate) {
  if (gate.process_ == Forks()) {
    pass_.emplace(gate);
  } else if (gate.inside_.load() != std::thread::id()) {
    Raise({ErrorCode::kFailedPrecondition,
           "the process was forked while another thread played a round of this "
           "model: its published model cannot be read here"});
  }
}

Gate::Pass::~Pass() {
  gate_.inside_.store({});
  gate_.mutex_.unlock();
}

}  // namespace sotto::python
