#pragma once

#include <functional>

#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"

namespace sotto {

// Plays a game in a copy of this process and returns its view. Changes to
// objects in the game are discarded. For models that are expensive to create
// and cannot be copied.
//
// `play` runs in the copy, on its one thread: it must not use locks that other
// threads of the caller may hold, and its draws from the caller's generator are
// repeated by the next game. Fails as `play` does, and with kUnavailable if the
// copy cannot be made or dies.
//
// Threads: may run at the same time on several threads.
Status PlayForked(const std::function<Status(View&)>& play, View& view);

}  // namespace sotto
