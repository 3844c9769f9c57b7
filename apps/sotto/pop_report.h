#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "pop_flags.h"
#include "sotto/models/pop/pop_schedule.h"

namespace sotto::app {

// The public numbers of the procedure, for reports.
nlohmann::ordered_json ParametersJson(const PopFlags& flags,
                                      const PopSchedule& schedule);

// "4,501 copies, noise scale 205, ..." for the first phase, and how many there
// are.
std::string InWords(const PopSchedule& schedule);

std::string_view ToString(HandOver hand_over);

// The guarantee in the terms that were asked for: with the relation, and with
// (epsilon, delta) of the whole where something else is charged too.
Result<Guarantee> Promised(const PopFlags& flags, const Guarantee& guarantee,
                           bool whole);

}  // namespace sotto::app
