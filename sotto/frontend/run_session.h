#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/session.h"

namespace sotto {

// A state file that --load names, read whole.
struct LoadedState {
  std::string path;
  std::string payload;
};

// Reads --load, if it was said, and lets `settings` adopt what the state keeps.
// Fails with kInvalidArgument: no such state, of another model, or a flag that
// contradicts it.
Result<std::optional<LoadedState>> ReadState(const OnlineModelEntry& entry,
                                             Settings& settings);

// How the stream is to be read for this model. Fails with kInvalidArgument.
Result<ExampleReader::Params> PrepareReader(const OnlineModelEntry& entry,
                                            const Settings& settings);

// A fresh session, which has had the labelled set that --train names if the
// model starts from one; or the state's. Rows of that set that cannot be used
// are errors, or empty places, as those of the stream. `skipped`, if it is
// asked for, gets their number: the operator's own view.
Result<std::unique_ptr<Session>> MakeSession(
    const OnlineModelEntry& entry, const Settings& settings, InputSpec inputs,
    const std::optional<LoadedState>& state, SkipCounts* skipped = nullptr);

}  // namespace sotto
