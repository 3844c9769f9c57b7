#include "sotto/models/registry/registry.h"

#include "sotto/models/everlasting/everlasting_entry.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"
#include "sotto/models/fits/greedy_cover/published_cover.h"
#include "sotto/models/leader/leader_entry.h"
#include "sotto/models/littlestone/littlestone_entry.h"
#include "sotto/models/littlestone/littlestone_erm_entry.h"
#include "sotto/models/points/points_entry.h"
#include "sotto/models/pop/pop_entry.h"
#include "sotto/models/rectangles/rectangles_entry.h"
#include "sotto/models/stumps/stumps_entry.h"
#include "sotto/models/tide/tide_entry.h"
#include "sotto/models/winnow/published_winnow.h"
#include "sotto/models/winnow/winnow_entry.h"

namespace sotto {
namespace {

template <typename Row>
const Row* Find(const std::vector<const Row*>& rows, std::string_view name) {
  for (const Row* row : rows) {
    if (row->name == name) return row;
  }
  return nullptr;
}

}  // namespace

const std::vector<const OnlineModelEntry*>& OnlineModels() {
  // In the order in which a user should look at them.
  static const std::vector<const OnlineModelEntry*> kRows = {
      &TideEntry(),   &LeaderEntry(),      &PopEntry(),
      &WinnowEntry(), &PointsEntry(),      &RectanglesEntry(),
      &StumpsEntry(), &EverlastingEntry(), &LittlestoneEntry(),
  };
  return kRows;
}

const std::vector<const BatchModelEntry*>& BatchModels() {
  static const std::vector<const BatchModelEntry*> kRows = [] {
    std::vector<const BatchModelEntry*> rows = {&GreedyCoverEntry()};
    const auto& fits = FitBatchRows();
    rows.insert(rows.end(), fits.begin(), fits.end());
    rows.push_back(&LittlestoneErmEntry());
    return rows;
  }();
  return kRows;
}

const std::vector<const ModelFileFormat*>& PublishedModels() {
  static const std::vector<const ModelFileFormat*> kRows = [] {
    std::vector<const ModelFileFormat*> rows = {
        &PublishedCover(), &PublishedTide(), &PublishedWinnow(),
        &PublishedLittlestone(), &PublishedLittlestoneErm()};
    const auto& fits = PublishedFits();
    rows.insert(rows.end(), fits.begin(), fits.end());
    return rows;
  }();
  return kRows;
}

const OnlineModelEntry* FindOnlineModel(std::string_view name) {
  return Find(OnlineModels(), name);
}

const BatchModelEntry* FindBatchModel(std::string_view name) {
  return Find(BatchModels(), name);
}

const ModelFileFormat* FindPublishedModel(std::string_view name) {
  return Find(PublishedModels(), name);
}

}  // namespace sotto
