#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/files/state_file.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/durable/reply_chain.h"
#include "sotto/frontend/live_journal.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"

namespace sotto {

// A state file that --load names, read whole.
struct LoadedState {
  std::string path;
  std::string payload = {};            // of the session
  std::optional<InUseMark> mark = {};  // its last run did not end properly
  // Of a live run that did not end properly: all lines since `payload` are in
  // the journal.
  std::shared_ptr<LiveJournal> journal = {};
  ReplyHash replies = {};
};

// Reads the state of a session, or of a live run. Fails with kInvalidArgument.
Result<LoadedState> ReadSessionState(const std::string& path);

// Reads --load, if it was said, and lets `settings` adopt what the state keeps.
// Fails with kInvalidArgument: no such state, of another model, a flag that
// contradicts it, or a live run's journal without --live.
Result<std::optional<LoadedState>> ReadState(const OnlineModelEntry& entry,
                                             Settings& settings);

// How this model reads the stream. A bad row is an empty round. Fails with
// kInvalidArgument.
Result<ExampleReader::Params> PrepareReader(const OnlineModelEntry& entry,
                                            const Settings& settings);

// The training set that --train names, read like the stream, whose inputs are
// given. Fails with kInvalidArgument: no such file, or other columns.
Result<ExampleReader> OpenTrainingSet(const OnlineModelEntry& entry,
                                      const Settings& settings,
                                      const InputSpec& stream);

// A new session, charged to --budget and then trained on --train if the model
// needs a training set; or the session of `state`. A bad row of the training
// set is an empty place.
// `skipped`, if given, receives those rows. For the operator only.
Result<std::unique_ptr<Session>> MakeSession(
    const OnlineModelEntry& entry, const Settings& settings, InputSpec inputs,
    const std::optional<LoadedState>& state, SkipCounts* skipped = nullptr);

}  // namespace sotto
