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
#include "extension/table.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/frontend/publication_log.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"
#include "sotto/report/run_report.h"

namespace sotto::python {

// What a model is made with, as the Python class was told it.
struct ModelConfig {
  Settings settings;
  std::optional<Schema> schema = {};
  std::vector<std::string> columns = {};  // empty: as the first row has them
  std::string state = {};  // to go on from; empty: a fresh session
  pybind11::object classes = pybind11::none();  // what labels are called
};

class Stream;

// The answers of a bulk run, one for every round: NaN where nobody was
// answered. It belongs to Python while a run fills it, so that what was played
// before an interrupt is there.
struct Answers {
  std::vector<double> prediction;
  std::vector<double> probabilities;
  std::shared_ptr<Stream> stream = nullptr;  // that gave them
};

// A round that was opened: its own user's.
struct OpenResult {
  std::optional<std::string> ticket;
  std::optional<Label> prediction;
  std::optional<double> probability;
  Presence presence = Presence::kPresent;
};

// A session at work for Python, behind a gate. Whatever shows something of it
// or is in the middle of a call has a share of it, so that it outlives the
// model's next fit.
//
// Whatever a row holds, asking about it is one tick of the clock: a row that
// cannot be used is an empty round, and the exception comes after it.
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
  // Whether there is a label: a missing one never came.
  bool Close(const std::string& ticket, pybind11::handle y);
  // An empty round.
  void PlayEmptyRound(std::string user);

  // River's verbs.
  OpenResult Predict(pybind11::handle x, std::string user);
  void Learn(pybind11::handle x, pybind11::handle y, const std::string& user);
  // Whether questions of Predict wait for their labels.
  bool HasQuestions();
  // For a pickle: the state, those questions, and the clock, all of one moment.
  struct Snapshot {
    std::string state;
    pybind11::list questions;
    std::uint64_t rounds = 0;
  };
  Snapshot Snap();
  void Ask(const pybind11::list& questions);

  // The labelled set of a model that starts from one.
  void Train(const Table& table);
  // Plays rounds [first, ...) of the table until the end, the model's halt, a
  // bad row or an exception; `between` is called between two spans, with the
  // rounds that were played. The answers are added one for every round.
  void PlayTable(const Table& table, Answers& answers,
                 const pybind11::object& between);
  // The same for an iterator of (x, y), (x, y, user).
  void PlayRows(const pybind11::iterator& rows, Answers& answers,
                const pybind11::object& between);

  std::string Save();
  RunReport Report();
  std::optional<Json> Hypothesis();
  // What anybody may know.
  bool seeded() const { return session_->seeded(); }
  const Session& session() const { return *session_; }
  const RowReader& reader() const { return *reader_; }
  Gate& gate() { return gate_; }

 private:
  // A round of River's verbs whose label has not come.
  struct Pending {
    pybind11::object asked = {};  // what it was asked about
    FeatureVector x = {};
    Presence presence = Presence::kPresent;
    std::optional<std::string> ticket = {};
  };
  struct Read {
    Round round = {};
    RowError fault = {};
    bool usable = true;
  };

  void CheckUsable() const;
  Read ReadRow(pybind11::handle x, std::string user) const;
  // The tick itself. Requires a pass of the gate.
  OpenResult OpenRound(Round& round);
  std::string FaultText(const RowError& fault,
                        const std::string& position) const;
  [[noreturn]] void RaiseFault(const RowError& fault,
                               const std::string& position) const;
  // Throws; afterwards it is not to be used, unless it was refused at once,
  // which has changed nothing.
  [[noreturn]] void Fail(const Error& error);
  // A call of the session. What an exception of C++ leaves in its middle, for
  // want of memory, is not to be used.
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
  void LearnFresh(Read read, const std::optional<Label>& label, bool labelled);
  TicketedRounds::Outcome Teach(const std::string& ticket, const Label& y);

  // Rows of a bulk run, one after the other: into a round that was cleared, or
  // with a fault.
  enum class Row : std::uint8_t { kGood, kBad, kNone };
  using NextRow = std::function<Row(Round& round, RowError& fault)>;
  NextRow ReadRows(const Table& table) const;
  NextRow ReadRows(const pybind11::iterator& rows) const;
  bool ReadItem(pybind11::handle item, Round& round, RowError& fault) const;
  // Rows that are played together, and what came after them.
  struct Span {
    std::size_t ready = 0;
    bool ended = false;
    std::optional<RowError> fault = {};  // of a row that ends the run
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
  Gate gate_;
  bool skip_bad_ = false;
  bool quiet_ = false;  // errors quote nothing of a row
  // Not to be used any more. Why was told whose call it was, and may quote it.
  bool broken_ = false;
  // By name of the user, the empty one for those who have none.
  std::unordered_map<std::string, Pending> waiting_;
  std::size_t span_ = 64;  // rounds between two looks at the signals
  SkipCounts skipped_;
  double seconds_ = 0;
};

}  // namespace sotto::python
