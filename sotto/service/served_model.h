#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/durable/journaled.h"
#include "sotto/durable/record.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/service/host.h"
#include "sotto/service/host_request.h"
#include "sotto/service/model_configuration.h"
#include "sotto/service/slot_clock.h"

namespace sotto {

// A request on its way through a host.
struct ServedStep {
  HostRequest::Kind kind = HostRequest::Kind::kPredict;
  std::optional<Record> record{};    // absent: the request changes nothing
  std::optional<HostReply> reply{};  // absent: Apply finds it
  RoundRecord round{};               // of a round
  LabelRecord label{};               // of a label
  std::uint64_t value = 0;           // of a counter's step
  bool from_lost_records = false;    // proves that the model was rolled back
};

// A model behind a host: a state machine driven by records. Prepare reads
// requests and may look at the state; Apply carries a step out and is all that
// changes anything; Replay does the same for a record that was read.
//
// Prepare is called for all requests of a block before the first Apply.
// Threads: not thread-safe.
class ServedModel : public Replayable {
 public:
  // The keys of a new model, of its lineage.
  static Result<std::unique_ptr<ServedModel>> Create(
      const ModelConfiguration& configuration, const JournalKeys& keys,
      std::span<const std::string> training_rows);
  // Reads what Save wrote. Fails with kCorruption, and as Create does.
  static Result<std::unique_ptr<ServedModel>> Load(
      const ModelConfiguration& configuration, std::string_view state);
  // Rows of the training set that the configuration names, as payloads of TRAIN
  // records. `keys` hash the names.
  static Result<std::vector<Record>> ReadTrainingRows(
      const ModelConfiguration& configuration, const JournalKeys& keys);
  // The guarantee that a model of this configuration would have. Opens its
  // training set, and makes nothing.
  static Result<Guarantee> Check(const ModelConfiguration& configuration);
  // The version of the model's replies: the service's own and
  // OnlineModelEntry::semantics.
  static Result<std::uint32_t> Semantics(
      const ModelConfiguration& configuration);

  virtual ServedStep Prepare(const HostRequest& request) = 0;
  // Fails as the model does; then it is not to be used.
  virtual Result<HostReply> Apply(ServedStep& step) = 0;

  // The clock of groups; null: every request is a round.
  virtual const SlotClock* slots() const { return nullptr; }
  virtual std::uint64_t full_groups() const { return 0; }
  // A step that fills a group up: an empty round, or a label without a ticket.
  // `taken`: in a place that is not left over. Requires slots().
  virtual ServedStep MakeFiller(HostRequest::Kind kind,
                                bool /*taken*/ = false) {
    return {.kind = kind};
  }

  virtual Status Save(ByteWriter& writer) = 0;
  // Continues with noise and tickets of a new key, and of the history so far.
  virtual void Rotate(const JournalKeys& fresh) = 0;

  virtual const Guarantee& guarantee() const = 0;
  virtual bool halted() const = 0;
  virtual std::uint64_t rounds() const = 0;
  virtual std::uint64_t phase() const = 0;
  virtual std::size_t longest_body() const = 0;
  // The operator's view.
  virtual Json Describe() const = 0;
  virtual std::optional<std::string> Hypothesis() const = 0;
  virtual std::optional<std::string> Estimate() const = 0;
};

}  // namespace sotto
