#include "extension/stream_handle.h"

#include "extension/bindings.h"

namespace sotto::python {

bool StreamHandle::Begin(std::uint64_t beginnings, const ModelConfig& making,
                         std::vector<std::string> columns) {
  const Gate::Pass pass(gate_);
  if (stream_ || beginnings != beginnings_) return false;
  stream_ = std::make_shared<Stream>(*entry_, making, std::move(columns));
  return true;
}

void StreamHandle::Reset() {
  // Objects that end with it may call the model: they do so after the gate.
  std::shared_ptr<Stream> old;
  const Gate::Pass pass(gate_);
  old = std::exchange(stream_, nullptr);
  ++beginnings_;
}

std::shared_ptr<Stream> StreamHandle::Current() const {
  if (stream_) return stream_;
  Raise({ErrorCode::kFailedPrecondition,
         "the model has not begun: no row was played"});
}

}  // namespace sotto::python
