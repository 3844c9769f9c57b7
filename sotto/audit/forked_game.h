#pragma once

#include <functional>

#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"

namespace sotto {

// Plays a game in a copy of this process and brings its view back: whatever the
// game does to the objects that it uses is gone afterwards. For models that are
// dear to make and cannot be copied.
//
// `play` runs in the copy, on its one thread: it must not use locks that other
// threads of the caller may hold, and what it draws from a generator of the
// caller's is drawn again by the next game. Fails as `play` does, and with
// kUnavailable if the copy cannot be made or dies.
//
// Threads: may run at the same time on several threads.
Status PlayForked(const std::function<Status(View&)>& play, View& view);

}  // namespace sotto
