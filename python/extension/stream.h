#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extension/gate.h"
#include "extension/row_reader.h"
#include "extension/scorer.h"
#include "extension/table.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/frontend/publication_log.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"
#include "sotto/report/run_report.h"

namespace sotto::python {

// Arguments of the Python class that a model is made with.
struct ModelConfig {
  Settings settings;
  std::optional<Schema> schema = {};
  std::vector<std::string> columns = {};  // empty: as the first row has them
  // Rows without columns: sparse ones with this many places, or any names.
  std::optional<std::uint32_t> places = {};
  bool any_names = false;
  std::string state = {};  // to resume from; empty: a fresh session
  pybind11::object classes = pybind11::none();  // what labels are called
};

class Stream;

// Predictions of a bulk run, one for every round: NaN for an empty round.
// Python owns it while a run fills it, so that it has the rounds before an
// interrupt.
struct Answers {
  using IsPythonClass = void;
  std::vector<double> prediction;
  std::vector<double> probabilities;
  std::shared_ptr<Stream> stream = nullptr;  // that predicted them
};

// An open round, for its own user.
struct OpenResult {
  std::optional<std::string> ticket;
  std::optional<Label> prediction;
  std::optional<double> probability;
  Presence presence = Presence::kPresent;
  std::vector<double> probabilities = {};  // all classes, if asked for
};

// A running session behind a gate. A call in progress and an object that shows
// something of it share its ownership, so it outlives the model's next fit.
//
// A call with a row is one round, whatever the row holds: a bad row is an empty
// round. The exception about it comes after the round, and only to the caller
// who brought it: no row ends a bulk run.
//
// Proof:   stream.md, next to this file.
// Threads: thread-safe, with the GIL.
class Stream {
 public:
  // Begins the session. Throws.
  Stream(OnlineModelEntry entry, const ModelConfig& making,
         std::vector<std::string> columns);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const OnlineModelEntry& entry() const { return entry_; }

  // All of these throw.
  OpenResult Open(pybind11::handle x, std::string user);
  // Returns whether there is a label: it may be missing.
  bool Close(const std::string& ticket, pybind11::handle y);
  void PlayEmptyRound(std::string user);

  // River's verbs. `all`: with the probabilities of all classes.
  OpenResult Predict(pybind11::handle x, std::string user, bool all = false);
  void Learn(pybind11::handle x, pybind11::handle y, const std::string& user);
  // Returns whether rounds of Predict are still without their labels.
  bool HasQuestions();
  // For a pickle: the state, those rounds and the clock, all at one moment.
  struct Snapshot {
    std::string state;
    pybind11::list questions;
    std::uint64_t rounds = 0;
  };
  Snapshot Snap();
  void Ask(const pybind11::list& questions);

  // Reads the training set of a model that needs one.
  void Train(const Table& table);
  // Plays the rows of the table until the end, the model's halt or an
  // exception; `between` is called between two spans, with the rounds that were
  // played. One answer is added for every round.
  void PlayTable(const Table& table, Answers& answers,
                 const pybind11::object& between);
  // The same for an iterator of (x, y), (x, y, user).
  void PlayRows(const pybind11::iterator& rows, Answers& answers,
                const pybind11::object& between);

  std::string Save();
  RunReport Report();
  std::optional<Json> Hypothesis();
  // Public at any time.
  bool seeded() const { return session_->seeded(); }
  const Session& session() const { return *session_; }
  const RowReader& reader() const { return *reader_; }
  Gate& gate() { return gate_; }

 private:
  // A round of River's verbs without its label.
  struct Pending {
    pybind11::object asked = {};  // the row of the call
    FeatureVector x = {};
    Presence presence = Presence::kPresent;
    std::optional<std::string> ticket = {};
    // It is the only one under its name since the last label, so that the next
    // label is its own, whatever row comes with it.
    bool alone = true;
  };
  struct Read {
    Round round = {};
    RowError fault = {};
    bool usable = true;
  };

  void CheckUsable() const;
  Read ReadRow(pybind11::handle x, std::string user) const;
  // Plays the round. Requires a pass of the gate.
  OpenResult OpenRound(Round& round);
  [[noreturn]] void RaiseFault(const RowError& fault,
                               const char* position) const;
  // Counts a row that cannot be used, and tells the caller who brought it.
  void ReportFault(const Read& read);
  // Throws. The stream cannot be used afterwards, unless the call was refused
  // at once, which changed nothing.
  [[noreturn]] void Fail(const Error& error);
  // Calls the session. If the call throws (out of memory), the session is in
  // the middle of it, and the stream cannot be used afterwards.
  template <typename Call>
  auto Undisturbed(const Call& call) {
    try {
      return call();
    } catch (...) {
      broken_ = true;
      throw;
    }
  }
  std::optional<Label> GetLabel(pybind11::handle y) const;
  const Pending* Waiting(const std::string& user) const;
  pybind11::list Questions() const;
  std::string SavedState();
  std::vector<double> AllProbabilities(const Round& round);
  void LearnFresh(Read read, const std::optional<Label>& label, bool labelled);
  TicketedRounds::Outcome Teach(const std::string& ticket, const Label& y);

  // Reads the next row of a bulk run into a cleared round, or a fault.
  enum class Row : std::uint8_t { kGood, kBad, kNone };
  using NextRow = std::function<Row(Round& round, RowError& fault)>;
  NextRow ReadRows(const Table& table) const;
  NextRow ReadRows(const pybind11::iterator& rows) const;
  bool ReadItem(pybind11::handle item, Round& round, RowError& fault) const;
  // Rows that are played together, and how reading ended.
  struct Span {
    std::size_t ready = 0;
    bool ended = false;
    std::optional<pybind11::error_already_set> raised = {};
    SkipCounts skipped = {};
  };
  Span ReadSpan(const NextRow& next, std::span<Round> rounds) const;
  std::size_t PlaySpan(std::span<Round> rounds, Answers& answers);
  // `objects`: reading needs the GIL.
  void PlayAll(const NextRow& next, bool objects, Answers& answers,
               const pybind11::object& between);
  void NextSpan(double seconds);

  const OnlineModelEntry entry_;
  std::unique_ptr<RowReader> reader_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<PublicationLog> published_;
  // The published model of that phase, for the probabilities of all classes.
  std::unique_ptr<const Scorer> scorer_;
  std::uint64_t scorer_phase_ = 0;
  Gate gate_;
  bool silent_ = false;  // no exception about a caller's own row
  bool quiet_ = false;   // errors quote nothing of a row
  // Cannot be used any more. The reason may quote a row: only its caller saw
  // it.
  bool broken_ = false;
  // By name of the user; the empty name for unnamed ones.
  std::unordered_map<std::string, Pending> waiting_;
  std::size_t span_ = 64;  // rounds between two looks at the signals
  SkipCounts skipped_;
  double seconds_ = 0;
};

}  // namespace sotto::python
