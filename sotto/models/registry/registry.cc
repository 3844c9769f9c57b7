#include "sotto/models/registry/registry.h"

#include "sotto/models/everlasting/everlasting_row.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/greedy_cover/greedy_cover_row.h"
#include "sotto/models/fits/greedy_cover/published_cover.h"
#include "sotto/models/leader/leader_row.h"
#include "sotto/models/littlestone/littlestone_erm_row.h"
#include "sotto/models/littlestone/littlestone_row.h"
#include "sotto/models/points/points_row.h"
#include "sotto/models/pop/pop_row.h"
#include "sotto/models/rectangles/rectangles_row.h"
#include "sotto/models/stumps/stumps_row.h"
#include "sotto/models/tide/tide_row.h"
#include "sotto/models/winnow/published_winnow.h"
#include "sotto/models/winnow/winnow_row.h"

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

const std::vector<const OnlineRow*>& OnlineModels() {
  // In the order in which a user should look at them.
  static const std::vector<const OnlineRow*> kRows = {
      &TideRow(),   &LeaderRow(),      &PopRow(),
      &WinnowRow(), &PointsRow(),      &RectanglesRow(),
      &StumpsRow(), &EverlastingRow(), &LittlestoneRow(),
  };
  return kRows;
}

const std::vector<const BatchRow*>& BatchModels() {
  static const std::vector<const BatchRow*> kRows = [] {
    std::vector<const BatchRow*> rows = {&GreedyCoverRow()};
    const auto& fits = FitBatchRows();
    rows.insert(rows.end(), fits.begin(), fits.end());
    rows.push_back(&LittlestoneErmRow());
    return rows;
  }();
  return kRows;
}

const std::vector<const PublishedRow*>& PublishedModels() {
  static const std::vector<const PublishedRow*> kRows = [] {
    std::vector<const PublishedRow*> rows = {
        &PublishedCover(), &PublishedTide(), &PublishedWinnow(),
        &PublishedLittlestone(), &PublishedLittlestoneErm()};
    const auto& fits = PublishedFits();
    rows.insert(rows.end(), fits.begin(), fits.end());
    return rows;
  }();
  return kRows;
}

const OnlineRow* FindOnlineModel(std::string_view name) {
  return Find(OnlineModels(), name);
}

const BatchRow* FindBatchModel(std::string_view name) {
  return Find(BatchModels(), name);
}

const PublishedRow* FindPublishedModel(std::string_view name) {
  return Find(PublishedModels(), name);
}

}  // namespace sotto
