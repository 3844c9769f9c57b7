#include "sotto/service/events/model_watch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/base/number_text.h"
#include "sotto/service/events/model_trouble.h"

namespace sotto {
namespace {

constexpr double kCalibrationPeriod = 5;  // seconds
constexpr double kEarlierRelease = 60;    // a page compares with this long ago
constexpr double kRefusalsPause = 300;
constexpr std::uint64_t kManyRefusals = 20;  // in a minute
// More than 120 points, 40 events and the figures take.
constexpr std::size_t kSavedUnit = std::size_t{1} << 16;
constexpr std::array<int, 4> kRefusals = {401, 429, 503, 409};

std::uint64_t Count(const RequestMeter::Traffic& traffic, int status) {
  const auto found = traffic.statuses.find(status);
  return found == traffic.statuses.end() ? 0 : found->second;
}

std::uint64_t CountAt(const Json& json, std::string_view name) {
  return Look(json, name).natural().value_or(0);
}

ErrorPoint MakePoint(const ModelLook& look) {
  const Json& errors = Look(look.status, "errors");
  return {.time = look.time,
          .rounds = CountAt(look.status, "rounds"),
          .releases = CountAt(look.status, "phase"),
          .labelled = CountAt(errors, "labelled"),
          .own = Look(errors, "own").number().value_or(0),
          .constant = Look(errors, "constant").number().value_or(0),
          .non_private = Look(errors, "non_private").number()};
}

// Rounds until the next release, where it follows from the clock alone.
Json NextRelease(const Json& status) {
  const auto start = Look(status, "parameters", "start_rows").natural();
  const auto batch = Look(status, "parameters", "batch").natural();
  const std::uint64_t rounds = CountAt(status, "rounds");
  if (!start || !batch || *batch == 0) return {};
  if (rounds < *start) return *start - rounds;
  return *batch - (rounds - *start) % *batch;
}

bool IsComplete(const Json& status) {
  return !Look(status, "guarantee").is_null();
}

}  // namespace

void ModelWatch::Take(const ModelLook& look, const Emit& emit) {
  minute_.push_back({look.time, CountAt(look.status, "rounds"), look.traffic});
  while (minute_.size() > kMinute + 1) minute_.pop_front();
  if (IsComplete(look.status)) {
    TakePromise(look, emit);
    TakePhase(look, emit);
    TakeRelease(look, emit);
    TakeErrors(look, emit);
  }
  TakeState(look, emit);
  TakeRefusals(look, emit);
  TakeFigures(look, emit);
}

void ModelWatch::TakePromise(const ModelLook& look, const Emit& emit) {
  Json promise = Look(look.status, "promise");
  if (promise.object() == nullptr) return;
  promise["id"] = name_;
  promise["model"] = Look(look.status, "model");
  promise["summary"] = Look(look.status, "summary");
  promise["guarantee"] = Look(look.status, "guarantee");
  promise["population"] = look.population;
  if (promise == promise_) return;
  promise_ = promise;
  emit("promise", std::move(promise));
}

void ModelWatch::TakeState(const ModelLook& look, const Emit& emit) {
  const std::string state = ReadText(Look(look.status, "state"));
  const std::string before = std::exchange(state_, state);
  if (IsComplete(look.status) && !std::exchange(started_, true)) {
    TakeStart(look, emit);
  }
  if (state == before) return;
  if (state == "frozen") {
    AddEvent(look, "freeze", true, ReadText(Look(look.status, "reason")), emit);
  } else if (state == "halted") {
    AddEvent(look, "halt", true, "the budget is used up", emit);
  }
}

// A journal in its first term belongs to a new model: one that was known under
// this name before was rolled back.
void ModelWatch::TakeStart(const ModelLook& look, const Emit& emit) {
  const Json& journal = Look(look.status, "journal");
  const std::uint64_t term = CountAt(journal, "term");
  if (term > 1) {
    AddEvent(look, "restart", true,
             "started again from its journal of " +
                 WithCommas(CountAt(journal, "records")) + " records",
             emit);
  } else if (known_) {
    releases_.Clear();
    AddEvent(look, "rollback", true,
             "a fresh model in place of one that was retired: the promises of "
             "both add up",
             emit);
  }
}

// Phases and when they end are functions of what is public (report/report.md).
void ModelWatch::TakePhase(const ModelLook& look, const Emit& emit) {
  const auto phase = Look(look.status, "phase").natural();
  const auto before = std::exchange(phase_, phase);
  const bool publishes =
      look.release.object() != nullptr || release_.object() != nullptr;
  if (publishes || !before || !phase || *phase <= *before) return;
  AddEvent(look, "handover", true,
           "phase " + WithCommas(*phase + 1) + " begins", emit);
}

void ModelWatch::TakeRelease(const ModelLook& look, const Emit& emit) {
  if (look.release.object() == nullptr) return;
  const auto phase = Look(look.status, "phase").natural();
  // Keeps the newest one that is at least a minute old to compare with.
  if (!release_.is_null() &&
      (earlier_.is_null() || release_time_ >= earlier_time_ + kEarlierRelease ||
       look.time >= earlier_time_ + 2 * kEarlierRelease)) {
    earlier_ = release_;
    earlier_time_ = release_time_;
  }
  release_ = look.release;
  release_time_ = look.time;
  release_["id"] = name_;
  release_["n"] = phase;
  release_["round"] = CountAt(look.status, "rounds");
  release_["t"] = look.time;
  release_["visible"] = "public";
  const bool kept = releases_.Add(look.time, release_);
  Json event = release_;
  event["earlier"] = earlier_;
  event["step"] = kept ? Json(releases_.step()) : Json();
  emit("release", std::move(event));
}

void ModelWatch::TakeErrors(const ModelLook& look, const Emit& emit) {
  const ErrorPoint point = MakePoint(look);
  now_.Add(point);
  if (history_.Add(point)) {
    emit("error", Json::Object{{"id", name_},
                               {"point", history_.Newest()},
                               {"step", history_.step()}});
  }
  const Json& bins = Look(look.status, "calibration");
  if (bins.array() == nullptr ||
      look.time < calibration_time_ + kCalibrationPeriod) {
    return;
  }
  calibration_time_ = look.time;
  calibration_ = Json::Object{{"id", name_}, {"bins", bins}};
  emit("calibration", calibration_);
}

void ModelWatch::TakeRefusals(const ModelLook& look, const Emit& emit) {
  if (look.time < refusals_time_ + kRefusalsPause) return;
  std::uint64_t many = 0;
  int most = 0;
  for (const int status : kRefusals) {
    const std::uint64_t count =
        Count(look.traffic, status) - Count(minute_.front().traffic, status);
    if (count <= many) continue;
    many = count;
    most = status;
  }
  if (many < kManyRefusals) return;
  refusals_time_ = look.time;
  AddEvent(look, "refusals", false,
           WithCommas(many) + " replies " + std::to_string(most) +
               " within a minute",
           emit);
}

void ModelWatch::AddEvent(const ModelLook& look, std::string_view kind,
                          bool is_public, const std::string& text,
                          const Emit& emit) {
  const Json event =
      Json::Object{{"id", name_},
                   {"t", look.time},
                   {"kind", kind},
                   {"visible", is_public ? "public" : "operator"},
                   {"text", text}};
  events_.push_back(event);
  if (events_.size() > kMostEvents) events_.pop_front();
  emit("event", event);
}

double ModelWatch::Rate(const ModelLook& look) const {
  constexpr std::size_t kSeconds = 10;
  const Second& from =
      minute_[minute_.size() > kSeconds ? minute_.size() - 1 - kSeconds : 0];
  const std::uint64_t rounds = CountAt(look.status, "rounds");
  if (look.time <= from.time || rounds <= from.rounds || from.rounds == 0) {
    return 0;
  }
  return static_cast<double>(rounds - from.rounds) / (look.time - from.time);
}

Json ModelWatch::DescribeRefusals(const RequestMeter::Traffic& traffic) const {
  Json refusals = Json::Object{};
  for (const int status : kRefusals) {
    refusals[status == 409 ? "ticket" : std::to_string(status)] =
        Count(traffic, status);
  }
  return refusals;
}

Json ModelWatch::MakeFigures(const ModelLook& look) const {
  const Json& status = look.status;
  const LatencyCounts latency =
      look.traffic.latency.Since(minute_.front().traffic.latency);
  const bool measured = latency.count() > 0;
  const auto milliseconds = [&](double fraction) {
    return measured ? Json(1e3 * latency.Percentile(fraction)) : Json();
  };
  Json json = Json::Object{
      {"id", name_},
      {"state", Look(status, "state")},
      {"rounds", Look(status, "rounds")},
      {"rate", Rate(look)},
      {"queue", Look(status, "waiting")},
      {"labelled", Look(status, "labelled")},
      {"waiting", Look(status, "labels_waiting")},
      {"waiting_by_age", Look(status, "waiting_by_age")},
      {"ticket_rounds", Look(status, "ticket_rounds")},
      {"latency",
       Json::Object{{"p50", milliseconds(0.5)}, {"p99", milliseconds(0.99)}}},
      {"durable_lag_ms", Look(status, "journal", "durable_lag_ms")},
      {"records", Look(status, "journal", "records")},
      {"refusals", DescribeRefusals(look.traffic)},
      {"empty", Look(status, "empty")},
      {"phase", Look(status, "phase")},
      {"next_release_in", NextRelease(status)},
      {"measure", Look(status, "errors", "measure")},
      {"error", now_.ToJson()},
      {"clock", Look(status, "clock")},
      {"turned_away", Look(status, "turned_away")},
      {"estimate", Look(status, "newest")}};
  Json known = status;
  if (!IsComplete(status)) known["guarantee"] = Look(promise_, "guarantee");
  json["trouble"] = DescribeTrouble(known);
  return json;
}

void ModelWatch::TakeFigures(const ModelLook& look, const Emit& emit) {
  Json figures = MakeFigures(look);
  // A model that froze keeps its last figures; the page says of when they are.
  if (IsComplete(look.status) || figures_.is_null()) {
    figures_ = figures;
  } else {
    figures_["state"] = Look(figures, "state");
    figures_["trouble"] = Look(figures, "trouble");
    figures_["rate"] = 0;
  }
  emit("model", figures_);
}

Json ModelWatch::Hello() const {
  Json release = release_;
  if (release.object() != nullptr) release["earlier"] = earlier_;
  return Json::Object{{"id", name_},
                      {"promise", promise_},
                      {"model", figures_},
                      {"error", Json::Object{{"step", history_.step()},
                                             {"points", history_.ToJson()}}},
                      {"calibration", calibration_},
                      {"release", std::move(release)},
                      {"releases", releases_.ToJson()},
                      {"events", Json::Array(events_.begin(), events_.end())}};
}

// All that users brought fills whole units, so that the length of the file does
// not tell how many digits it has.
Json ModelWatch::Save() const {
  Json json =
      Json::Object{{"history", history_.Save()},
                   {"events", Json::Array(events_.begin(), events_.end())},
                   {"figures", figures_},
                   {"calibration", calibration_}};
  json["padding"] =
      std::string(kSavedUnit - json.Dump().size() % kSavedUnit, ' ');
  json["release"] = release_;
  json["releases"] = releases_.ToJson();
  json["promise"] = promise_;
  return json;
}

void ModelWatch::Load(const Json& json) {
  history_.Load(Look(json, "history"));
  for (const ErrorPoint& point : history_.points()) now_.Add(point);
  promise_ = Look(json, "promise");
  figures_ = Look(json, "figures");
  calibration_ = Look(json, "calibration");
  release_ = Look(json, "release");
  releases_.Load(Look(json, "releases"));
  known_ = !promise_.is_null();
  if (const Json::Array* events = Look(json, "events").array()) {
    events_.assign(events->begin(), events->end());
  }
  while (events_.size() > kMostEvents) events_.pop_front();
}

}  // namespace sotto
