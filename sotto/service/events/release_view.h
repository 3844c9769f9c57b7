#pragma once

#include <string>

#include "sotto/base/json.h"

namespace sotto {

// A published model as a page shows it: {"columns":[[name, value], ..]}, how
// far each column can move the score, or {"text": ..} as `sotto show` prints
// it, cut after kLines lines. It is a function of what is published, and so
// public.
Json ViewRelease(const std::string& hypothesis);

}  // namespace sotto
