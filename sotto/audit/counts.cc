#include "sotto/audit/counts.h"

#include <optional>
#include <utility>

namespace sotto {

void Counts::Add(const Counts& other) {
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
  for (std::size_t p = 0; p < kParts; ++p) {
    for (std::size_t w = 0; w < 2; ++w) games_[p][w] += other.games_[p][w];
  }
}

bool Counts::AddsUp() const {
  for (std::size_t r = 0; r < TranscriptFeatures::kCount; ++r) {
    for (std::size_t p = 0; p < kParts; ++p) {
      for (const bool world : {false, true}) {
        std::uint64_t left = games_[p][world ? 1 : 0];
        for (const std::uint64_t count : Of(r, static_cast<Part>(p), world)) {
          if (count > left) return false;
          left -= count;
        }
        if (left != 0) return false;
      }
    }
  }
  return true;
}

Json Counts::ToJson() const {
  Json::Array cells;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] == 0) continue;
    cells.emplace_back(i);
    cells.emplace_back(cells_[i]);
  }
  Json::Array games;
  for (const auto& part : games_) {
    for (const std::uint64_t count : part) games.emplace_back(count);
  }
  return Json::Object{{"games", std::move(games)}, {"cells", std::move(cells)}};
}

Result<Counts> Counts::FromJson(const Json& json) {
  const Error broken = InvalidArgument("the counts of a shard make no sense");
  const Json* games = json.Find("games");
  const Json* cells = json.Find("cells");
  if (games == nullptr || cells == nullptr || games->array() == nullptr ||
      cells->array() == nullptr || games->array()->size() != 2 * kParts ||
      cells->array()->size() % 2 != 0) {
    return broken;
  }
  Counts made;
  for (std::size_t i = 0; i < 2 * kParts; ++i) {
    const auto count = (*games->array())[i].natural();
    if (!count) return broken;
    made.games_[i / 2][i % 2] = *count;
  }
  for (std::size_t i = 0; i < cells->array()->size(); i += 2) {
    const auto cell = (*cells->array())[i].natural();
    const auto count = (*cells->array())[i + 1].natural();
    if (!cell || !count || *cell >= made.cells_.size()) return broken;
    made.cells_[*cell] = *count;
  }
  if (!made.AddsUp()) return broken;
  return made;
}

}  // namespace sotto
