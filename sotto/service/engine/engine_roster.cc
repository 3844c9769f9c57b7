#include "sotto/service/engine/engine_roster.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sotto/random/key.h"

namespace sotto {
namespace {

// Processes that start together learn of each other in this time, and share the
// models.
constexpr std::chrono::milliseconds kLearnOthers{500};
// Each process waits this much longer than the one before it in the order of a
// model.
constexpr std::chrono::milliseconds kStep{750};
// A model without a writer is left to the process that made it for this long.
constexpr std::chrono::milliseconds kMaker{3'000};
// A writer that shows no life for this long, on top of the time in which its
// row counts, is replaced. Two readings at least: after a pause of the database
// all rows are old for a moment.
constexpr std::chrono::milliseconds kHangs{500};

// Long after every process should have taken such a model.
constexpr std::chrono::milliseconds kReplaced{4'000};
// Answers of the database that are older may be wrong by now.
constexpr std::chrono::milliseconds kFresh{3'000};

std::array<std::uint64_t, 2> Score(std::string_view model,
                                   std::string_view address) {
  static const Key kKey = Key::FromBytes(std::array<std::byte, Key::kBytes>{});
  std::string text(model);
  text.append(1, '\0').append(address);
  return kKey.Hash(text);
}

}  // namespace

std::size_t RankFor(std::string_view model, std::string_view self,
                    const std::vector<EngineRoll::Process>& processes) {
  const auto mine = Score(model, self);
  return static_cast<std::size_t>(
      std::ranges::count_if(processes, [&](const EngineRoll::Process& other) {
        return other.address != self && Score(model, other.address) > mine;
      }));
}

EngineRoster::EngineRoster(EngineRosterOptions options)
    : options_(std::move(options)), thread_([this] { Run(); }) {}

EngineRoster::~EngineRoster() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EngineRoster::Run() {
  std::optional<PostgresConnection> session;
  std::unique_lock lock(mutex_);
  while (!ended_) {
    lock.unlock();
    Look(session);
    lock.lock();
    changed_.wait_for(lock, options_.every, [this] { return ended_; });
  }
  lock.unlock();
  if (session && !options_.holder.empty()) {
    static_cast<void>(RemoveProcess(*session, options_.holder));
  }
}

// A database that does not answer is asked again on a new session; what is
// known stays.
void EngineRoster::Look(std::optional<PostgresConnection>& session) {
  if (!session) {
    auto opened = PostgresConnection::Open(options_.url, options_.deadline);
    if (!opened) return;
    session.emplace(*std::move(opened));
  }
  const bool renews = !options_.holder.empty();
  const bool renewed =
      !renews || RenewProcess(*session, options_.holder, options_.address);
  auto roll = renewed ? ReadRoll(*session)
                      : Result<EngineRoll>(Unavailable("not renewed"));
  if (!roll) return session.reset();
  if (options_.read_more && !roll->processes.empty()) {
    options_.read_more(*session);
  }
  Note(*std::move(roll));
  if (!renews && SeesNoWriter()) {
    PostgresConnection::TryAnotherServer();
    session.reset();
  }
}

// Some model has no writer for long. Maybe this server was replaced: one that
// only looks does not notice otherwise.
bool EngineRoster::SeesNoWriter() const {
  const auto long_ago = Clock::now() - kReplaced;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(models_, [&](const auto& model) {
    const Known& known = model.second;
    return known.free.value_or(Clock::time_point::max()) < long_ago ||
           known.hangs.value_or(Clock::time_point::max()) < long_ago;
  });
}

void EngineRoster::Note(EngineRoll roll) {
  const auto now = Clock::now();
  const auto since = [now](bool holds, const auto& before) {
    using Since = std::optional<Clock::time_point>;
    return holds ? Since(before.value_or(now)) : Since();
  };
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = now;
  newest_ = now;
  NoteProcesses(std::move(roll.processes), now);
  std::map<std::string, Known, std::less<>> models;
  for (EngineRoll::Writer& writer : roll.writers) {
    const Known& before = models_[writer.model];
    const bool same = before.writer.term == writer.term;
    const std::optional<Clock::time_point> none;
    const bool free = !writer.locked;
    const bool hangs = writer.locked && !writer.alive;
    Known known{.writer = std::move(writer),
                .free = since(free, same ? before.free : none),
                .hangs = since(hangs, same ? before.hangs : none)};
    known.yield_to = FindFirst(known.writer, now);
    models.emplace(known.writer.model, known);
  }
  models_ = std::move(models);
}

void EngineRoster::NoteProcesses(std::vector<EngineRoll::Process> processes,
                                 Clock::time_point now) {
  std::map<std::string, Clock::time_point> joined;
  for (const EngineRoll::Process& process : processes) {
    const auto before = joined_.find(process.holder);
    joined[process.holder] = before == joined_.end() ? now : before->second;
  }
  joined_ = std::move(joined);
  processes_ = std::move(processes);
}

// The process that should write a model instead of this one; empty: none.
std::string EngineRoster::FindFirst(const EngineRoll::Writer& writer,
                                    Clock::time_point now) const {
  if (options_.holder.empty() || writer.holder != options_.holder ||
      !writer.locked) {
    return "";
  }
  for (const EngineRoll::Process& process : processes_) {
    if (process.holder == options_.holder ||
        now < joined_.at(process.holder) + options_.settled ||
        RankFor(writer.model, process.address, processes_) != 0) {
      continue;
    }
    return process.holder;
  }
  return "";
}

bool EngineRoster::ShouldYield(std::string_view model) {
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(model);
  if (found == models_.end() || found->second.yield_to.empty()) return false;
  return yielded_.emplace(model, found->second.yield_to).second;
}

std::optional<EngineRoll::Writer> EngineRoster::FindWriter(
    std::string_view model) const {
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(model);
  if (found == models_.end() || found->second.writer.holder.empty()) {
    return std::nullopt;
  }
  return found->second.writer;
}

std::vector<std::string> EngineRoster::models() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, known] : models_) names.push_back(name);
  return names;
}

bool EngineRoster::known() const {
  const std::lock_guard lock(mutex_);
  return first_.has_value();
}

bool EngineRoster::Lacks(std::string_view model) const {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  return first_ && now < newest_ + kFresh && !processes_.empty() &&
         !models_.contains(model);
}

// Without the writer before: its row may outlive it.
std::size_t EngineRoster::FindRank(std::string_view model,
                                   std::string_view before) const {
  auto others = processes_;
  std::erase_if(others, [before](const EngineRoll::Process& process) {
    return process.holder == before;
  });
  return RankFor(model, options_.address, others);
}

EngineRoster::Turn EngineRoster::FindTurn(std::string_view model) const {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(model);
  if (found == models_.end()) return Turn::kWait;
  if (now < *first_ + kLearnOthers) return Turn::kWait;
  const Known& known = found->second;
  auto wait = kStep * static_cast<std::chrono::milliseconds::rep>(
                          FindRank(model, known.writer.holder));
  if (known.writer.holder.empty()) wait += kMaker;
  if (known.free && now >= *known.free + wait) return Turn::kTake;
  const bool mine = known.writer.holder == options_.holder;
  if (known.hangs && !mine && now >= *known.hangs + kHangs + wait) {
    return Turn::kForce;
  }
  return Turn::kWait;
}

}  // namespace sotto
