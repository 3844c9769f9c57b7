#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/learners/ensembles/child_process.h"
#include "sotto/learners/ensembles/ensemble.h"

namespace sotto {

// A custom learner: a program that holds all copies of all generations and
// exchanges JSON lines on its standard input and output. The protocol, one
// answer for each line, is in ensembles.md.
//
//   auto learner = ProcessLearner::Create({.command = "./mylearner"});
//   auto ensemble = (*learner)->NewEnsemble(0, 900);
//   auto votes = (*ensemble)->Votes(x);
//
// If the program breaks the protocol, ends or times out, that call and all
// later ones fail with kUnavailable. The message names the operation, the
// answer and the expected answer. It never contains the request, and it
// truncates the answer.
//
// Not checked: that copies and generations share nothing that depends on data,
// and that a prediction changes no state. Every guarantee over such a learner
// assumes both.
//
// Threads: not thread-safe, and the ensembles of one learner are used by one
// thread at a time. The learner must outlive them.
class ProcessLearner {
 public:
  using Params = ChildProcess::Params;

  static Result<std::unique_ptr<ProcessLearner>> Create(Params params);

  // Requires copies >= 1, and a generation that no living ensemble has.
  Result<std::unique_ptr<Ensemble>> NewEnsemble(std::uint64_t generation,
                                                std::int64_t copies);

 private:
  friend class ProcessEnsemble;

  explicit ProcessLearner(std::unique_ptr<ChildProcess> child)
      : child_(std::move(child)) {}

  // Sends a request and returns the text under `key` of the answer.
  Result<std::string> AskText(std::string_view op, std::string_view request,
                              std::string_view key);
  // The answer must be {"ok":true}.
  Status AskOk(std::string_view op, std::string_view request);
  // Sends a drop. An {"ok":true} in answer is optional.
  void SendDrop(std::uint64_t generation);
  Status Send(std::string_view op, std::string_view request);
  Result<std::string> Receive(std::string_view op);
  // Stores the error for all later calls.
  Error Refuse(std::string_view op, std::string_view came,
               std::string_view expected);

  std::unique_ptr<ChildProcess> child_;
  std::optional<Error> broken_;
  std::int64_t drops_ = 0;  // Sent, and their {"ok":true} not seen.
};

// The copies of one generation in that program.
//
// Threads: as ProcessLearner.
class ProcessEnsemble final : public Ensemble {
 public:
  ~ProcessEnsemble() override;
  ProcessEnsemble(const ProcessEnsemble&) = delete;
  ProcessEnsemble& operator=(const ProcessEnsemble&) = delete;

  std::int64_t copies() const override { return copies_; }
  Result<std::int64_t> Votes(FeatureView x) override;
  Status Update(std::int64_t copy, FeatureView x, bool y) override;
  // The state covers the whole program with all generations. Save several
  // generations at the same moment, and load them all.
  Status Save(ByteWriter& out) override;
  Status Load(ByteReader& in) override;

 private:
  friend class ProcessLearner;
  ProcessEnsemble(ProcessLearner& learner, std::uint64_t generation,
                  std::int64_t copies)
      : learner_(learner), generation_(generation), copies_(copies) {}

  ProcessLearner& learner_;
  std::uint64_t generation_;
  std::int64_t copies_;
};

// Features as the protocol has them: an array if they are numbered 0, 1, ...
// without a gap, otherwise an object from number to value.
std::string FeaturesToJson(FeatureView x);

}  // namespace sotto
