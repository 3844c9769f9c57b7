// Many rows at once: how a Stream reads and plays them.
#include <algorithm>
#include <chrono>
#include <limits>

#include "extension/bindings.h"
#include "extension/stream.h"
#include "extension/without_gil.h"

namespace sotto::python {
namespace {

// Between two spans, about fifty times a second.
void LookUp(const py::object& between, std::size_t played) {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!between.is_none() && played > 0) between(played);
}

bool NoItem(const std::string& what, RowError& fault) {
  fault.Set(FaultReason::kSyntax, what, "(x, y) or (x, y, user)");
  return false;
}

}  // namespace

Stream::NextRow Stream::ReadRows(const Table& table) const {
  if (table.rows() > 0 && table.columns() != reader_->width()) {
    Raise(InvalidArgument(std::to_string(table.columns()) +
                          " columns: expected " +
                          std::to_string(reader_->width())));
  }
  return [this, &table, next = std::size_t{0}](Round& round,
                                               RowError& fault) mutable {
    if (next == table.rows()) return Row::kNone;
    const bool good = table.Read(*reader_, next++, round, fault);
    return good ? Row::kGood : Row::kBad;
  };
}

Stream::NextRow Stream::ReadRows(const py::iterator& rows) const {
  return [this, &rows](Round& round, RowError& fault) {
    const auto item = py::reinterpret_steal<py::object>(
        RunToCompletion([&] { return PyIter_Next(rows.ptr()); }));
    if (!item) {
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      return Row::kNone;
    }
    return ReadItem(item, round, fault) ? Row::kGood : Row::kBad;
  };
}

// Reads an item of a stream: (x, y) or (x, y, user); None is an empty round.
bool Stream::ReadItem(py::handle item, Round& round, RowError& fault) const {
  if (item.is_none()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  if (!PyTuple_Check(item.ptr())) {
    return NoItem(
        "an object of type " + std::string(Py_TYPE(item.ptr())->tp_name),
        fault);
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(item);
  if (parts.size() != 2 && parts.size() != 3) {
    return NoItem(std::to_string(parts.size()) + " values", fault);
  }
  if (parts.size() == 3 && !ReadName(parts[2].ptr(), round.user, fault)) {
    return false;
  }
  if (parts[0].is_none()) {
    round.presence = Presence::kAbsent;
    return true;
  }
  return reader_->Read(parts[0], round, fault) &&
         reader_->ReadLabel(parts[1], round.y, fault);
}

Stream::Span Stream::ReadSpan(const NextRow& next,
                              std::span<Round> rounds) const {
  Span span;
  RowError fault;
  while (span.ready < rounds.size() && !span.ended) {
    Round& round = rounds[span.ready];
    round.Clear();
    Row row = Row::kNone;
    try {
      row = next(round, fault);
    } catch (const py::error_already_set& error) {
      span.raised.emplace(error);
    }
    if (row == Row::kBad) {
      MakeUnusable(round);
      span.skipped.Add(fault.reason);
      fault = {};
    }
    span.ended = row == Row::kNone;
    if (!span.ended) ++span.ready;
  }
  return span;
}

std::size_t Stream::PlaySpan(std::span<Round> rounds, Answers& answers) {
  const Gate::Pass pass(gate_);
  CheckUsable();
  Result<std::size_t> played = std::size_t{0};
  const auto start = std::chrono::steady_clock::now();
  Undisturbed([&] {
    const WithoutGil released;
    played = session_->Play(rounds);
  });
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  if (!played) Fail(played.error());
  constexpr double kNobody = std::numeric_limits<double>::quiet_NaN();
  for (const Round& round : rounds.first(*played)) {
    answers.prediction.push_back(round.prediction ? round.prediction->number()
                                                  : kNobody);
    answers.probabilities.push_back(round.probability.value_or(kNobody));
  }
  seconds_ += time.count();
  NextSpan(time.count());
  return *played;
}

void Stream::NextSpan(double seconds) {
  constexpr std::size_t kMost = 4096;
  if (seconds < 0.01) span_ = std::min(2 * span_, kMost);
  if (seconds > 0.04) span_ = std::max<std::size_t>(span_ / 2, 1);
}

void Stream::PlayAll(const NextRow& next, bool objects, Answers& answers,
                     const py::object& between) {
  std::vector<Round> rounds;
  for (bool ended = false; !ended;) {
    const std::size_t most = span_;
    if (rounds.size() < most) rounds.resize(most);
    Span span;
    if (objects) {
      span = ReadSpan(next, {rounds.data(), most});
    } else {
      const WithoutGil released;
      span = ReadSpan(next, {rounds.data(), most});
    }
    skipped_.Add(span.skipped);
    // Rows that were read before an exception are played first.
    const std::size_t played = PlaySpan({rounds.data(), span.ready}, answers);
    if (span.raised) throw *span.raised;
    if (played < span.ready) return;  // it has halted
    LookUp(between, played);
    ended = span.ended;
  }
}

void Stream::PlayTable(const Table& table, Answers& answers,
                       const py::object& between) {
  answers.prediction.reserve(answers.prediction.size() + table.rows());
  answers.probabilities.reserve(answers.prediction.capacity());
  PlayAll(ReadRows(table), table.objects(), answers, between);
}

void Stream::PlayRows(const py::iterator& rows, Answers& answers,
                      const py::object& between) {
  PlayAll(ReadRows(rows), true, answers, between);
}

void Stream::Train(const Table& table) {
  const Gate::Pass pass(gate_);
  CheckUsable();
  const NextRow next = ReadRows(table);
  const auto rows = [&](Round& round) -> Result<bool> {
    round.Clear();
    RowError fault;
    const Row row = next(round, fault);
    if (row == Row::kNone) return false;
    if (row == Row::kBad) {
      MakeUnusable(round);
      skipped_.Add(fault.reason);
    }
    return true;
  };
  const Status trained = Undisturbed([&] { return session_->Train(rows); });
  if (!trained) Fail(trained.error());
}

}  // namespace sotto::python
