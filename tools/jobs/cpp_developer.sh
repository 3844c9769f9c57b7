#!/usr/bin/env bash
# A C++ developer installs the library, links it from a project of two files and answers a user whose
# label comes later. $SOTTO_BUILD is the build of the clone.
set -euo pipefail

cmake --install "$SOTTO_BUILD" --prefix "$PWD/prefix" >/dev/null
mkdir shop && cd shop
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(shop LANGUAGES CXX)
find_package(Sotto 0.1 REQUIRED)
add_executable(shop shop.cc)
target_link_libraries(shop PRIVATE Sotto::sotto)
C
cat >shop.cc <<'C'
#include <cstdio>

#include "sotto/session.h"

int main() {
  using namespace sotto;
  const OnlineModelEntry& tide = *FindOnlineModel("tide");
  Settings settings(Session::Options(tide));
  const auto key = Key::Generate();
  if (!key || !settings.Set("epsilon", "1") || !settings.Set("delta", "1e-6")) {
    return 1;
  }
  // A wrong setting is refused with a message, not used.
  if (settings.Set("epsilon", "none") || !settings.Set("horizon", "5000")) {
    return 2;
  }
  auto session =
      Session::Create(tide, settings, {.features = 2, .dense = 2}, *key);
  if (!session) return 3;
  int wrong = 0;
  for (int i = 0; i < 4000; ++i) {
    const bool y = i % 3 == 0;
    Round round{.x = {{0, y ? 0.9 : 0.1}, {1, i % 7 / 7.0}}};
    const auto ticket = (*session)->Open(round);
    if (!ticket || !*ticket) return 4;
    if (i > 2000 && round.prediction->positive() != y) ++wrong;
    if (!(*session)->Close(**ticket, Label(y))) return 5;
  }
  std::printf("%d of 2000 wrong\n%s\n", wrong,
              (*session)->guarantee().Describe().c_str());
  return wrong < 200 ? 0 : 6;
}
C
cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$PWD/../prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build build >/dev/null
./build/shop
