#include "sotto/frontend/row_check.h"

#include "sotto/base/number_text.h"
#include "sotto/base/round.h"

namespace sotto {
namespace {

std::string Hint(const std::string& place) {
  if (place.find("hash bits") != std::string::npos) {
    return ": --schema FILE, or --hash-bits B for 2^B buckets";
  }
  if (place.find("expected a magnitude") != std::string::npos) {
    return ": --schema FILE with a range for it, or --clip";
  }
  return "";
}

std::string CountText(std::uint64_t count, const char* what) {
  return WithCommas(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Result<RowCheck> CheckRows(ExampleReader& reader) {
  RowCheck check;
  Round round;
  while (true) {
    SOTTO_TRY_ASSIGN(const bool more, reader.Next(round));
    if (!more) break;
    ++check.rows;
    if (round.presence == Presence::kAbsent) ++check.absent;
  }
  check.bad = reader.skipped();
  AddHints(check.bad);
  return check;
}

std::string RowCheckText(const std::string& name, const RowCheck& check) {
  const std::uint64_t bad = check.bad.total();
  std::string text = name + ": " + CountText(check.rows, "row") + ", ";
  text += bad == 0 ? "no bad row" : CountText(bad, "bad row");
  text += "; nothing was played\n";
  for (const std::string& place : check.bad.places) text += place + "\n";
  if (check.bad.places.size() < bad) text += "...\n";
  return text;
}

Json RowCheckJson(const RowCheck& check) {
  Json places = Json::Array{};
  for (const std::string& place : check.bad.places) places.Add(place);
  return Json::Object{{"rows", check.rows},
                      {"absent", check.absent},
                      {"skipped", check.bad.total()},
                      {"skipped_places", std::move(places)}};
}

void AddHints(SkipCounts& bad) {
  for (std::string& place : bad.places) place += Hint(place);
}

}  // namespace sotto
