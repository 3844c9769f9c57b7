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

// A user's own learner: a program that holds all copies of all generations and
// speaks JSON lines on its standard input and output. The protocol, one answer
// for each line, is in ensembles.md.
//
//   auto learner = ProcessLearner::Create({.command = "./mylearner"});
//   auto ensemble = (*learner)->NewEnsemble(0, 900);
//   auto votes = (*ensemble)->Votes(x);
//
// A program that breaks the protocol, ends or is silent is refused: that call
// and all later ones fail with kUnavailable and a message that names the
// operation, what came and what was expected. The message never holds what was
// sent; what came is the program's own and is cut short.
//
// What cannot be checked: that copies and generations share nothing that
// depends on data, and that a prediction changes no state. Every guarantee over
// such a learner rests on it.
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

  // Sends a request and gives the text its answer has under `key`.
  Result<std::string> AskText(std::string_view op, std::string_view request,
                              std::string_view key);
  // The answer must be {"ok":true}.
  Status AskOk(std::string_view op, std::string_view request);
  // Asks for no answer, and takes an {"ok":true} if one comes.
  void SendDrop(std::uint64_t generation);
  Status Send(std::string_view op, std::string_view request);
  Result<std::string> Receive(std::string_view op);
  // Remembers why the program is of no use any more.
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
  // The state is that of the whole program, all generations together: when
  // several are saved, save them at the same moment, and load them all.
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
