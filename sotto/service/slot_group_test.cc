#include "sotto/service/slot_group.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sotto/service/host_test_tools.h"
#include "sotto/service/slot_cost.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using testing::LabelFor;
using testing::Predict;
using Kind = HostReply::Kind;

constexpr std::size_t kPlaces = 4;

std::unique_ptr<ServedModel> MakeModel() {
  auto json = *Json::Parse(testing::kTide);
  json["clock"] = "slots:4";
  const auto configuration = ModelConfiguration::Parse(json);
  auto model = ServedModel::Create(
      *configuration, JournalKeys::Derive(testing::KeyOfBytes(3), {}), {});
  EXPECT_TRUE(model) << (model ? "" : model.error().message);
  return *std::move(model);
}

// A group, applied, with the replies by request.
struct Played {
  std::vector<Record> records{};
  std::map<std::size_t, HostReply> replies{};
};

Played Play(ServedModel& model, const std::vector<HostRequest>& requests,
            std::uint64_t seed = 1) {
  std::vector<const HostRequest*> all;
  for (const HostRequest& request : requests) all.push_back(&request);
  testing::SeededRng rng(seed);
  Played played;
  for (SlotStep& at : MakeSlotGroup(model, all, rng)) {
    if (at.step.record) played.records.push_back(*at.step.record);
    const auto reply = model.Apply(at.step);
    EXPECT_TRUE(reply);
    if (at.request) played.replies[*at.request] = *reply;
  }
  return played;
}

// Types and lengths, which is what a reader of the disk sees.
std::vector<std::pair<int, std::size_t>> Shape(const Played& played) {
  std::vector<std::pair<int, std::size_t>> shape;
  for (const Record& record : played.records) {
    shape.emplace_back(static_cast<int>(record.type), record.payload.size());
  }
  return shape;
}

TEST(SlotGroupTest, EveryGroupHasTheSameRecordsToWhoHasNoKey) {
  const auto model = MakeModel();
  const auto empty = Shape(Play(*model, {}));
  EXPECT_EQ(empty.size(), 2 * kPlaces);
  EXPECT_EQ(model->rounds(), kPlaces);
  const Played some = Play(*model, {Predict("ann", 0.5, "key"),
                                    {.body = R"({"x":["bad"]})"},
                                    {.body = "", .unusable = true}});
  EXPECT_EQ(Shape(some), empty);
  EXPECT_EQ(some.replies.size(), 3U);
  const std::string ticket = testing::Member(some.replies.at(0), "ticket");
  const Played labels =
      Play(*model,
           {LabelFor(ticket, 1), Predict("bob", 0.1), Predict("cid", 0.2),
            Predict("dan", 0.3), Predict("eve", 0.4), LabelFor("forged", 1)});
  EXPECT_EQ(Shape(labels), empty);
  EXPECT_EQ(labels.replies.at(0).kind, Kind::kTaken);
  EXPECT_EQ(labels.replies.at(5).kind, Kind::kRefused);
  EXPECT_EQ(model->rounds(), 3 * kPlaces);
}

TEST(SlotGroupTest, WhatComesAgainInAGroupTakesNoSecondRound) {
  const auto model = MakeModel();
  const Played first =
      Play(*model, {Predict("ann", 0.5, "key"), Predict("ann", 0.5, "key")});
  EXPECT_EQ(first.replies.at(0).body, first.replies.at(1).body);
  EXPECT_EQ(model->rounds(), kPlaces);
  const std::string ticket = testing::Member(first.replies.at(0), "ticket");
  const Played second =
      Play(*model, {LabelFor(ticket, 1), LabelFor(ticket, 1),
                    LabelFor(ticket, 0), Predict("ann", 0.5, "key")});
  EXPECT_EQ(second.replies.at(0).kind, Kind::kTaken);
  EXPECT_EQ(second.replies.at(1).kind, Kind::kTaken);
  EXPECT_EQ(second.replies.at(2).kind, Kind::kRefused);
  EXPECT_EQ(second.replies.at(3).body, first.replies.at(0).body);
  EXPECT_EQ(model->Describe().Find("labelled")->Dump(), "1");
  EXPECT_EQ(model->rounds(), 2 * kPlaces);
  // Nor a second place: one user cannot fill a group with one ticket.
  const Played others =
      Play(*model, {Predict("bob", 0.5), Predict("cid", 0.5)});
  std::vector<HostRequest> labels(
      kPlaces, LabelFor(testing::Member(others.replies.at(0), "ticket"), 1));
  labels.push_back(
      LabelFor(testing::Member(others.replies.at(1), "ticket"), 1));
  EXPECT_EQ(Play(*model, labels).replies.at(kPlaces).kind, Kind::kTaken);
}

// A plan has the bytes that the journal writes: beside the payload a
// record has its length, nonce, type and tag, and a block its head and end.
TEST(SlotGroupTest, AGroupHasAsManyBytesAsPlanned) {
  const auto model = MakeModel();
  std::size_t bytes = 84;
  for (const auto& [type, size] : Shape(Play(*model, {}))) bytes += 45 + size;
  EXPECT_EQ(GroupBytes(kPlaces, 1), bytes);
}

// The places were taken from others: the group is full to the records, too.
TEST(SlotGroupTest, WhatComesAgainHasAPlace) {
  const auto model = MakeModel();
  const std::vector<HostRequest> again(kPlaces, Predict("ann", 0.5, "key"));
  const auto empty = Shape(Play(*model, {}));
  EXPECT_EQ(Shape(Play(*model, again)), empty);
  const auto full = [&] {
    return model->Describe().Find("clock")->Find("full_groups")->Dump();
  };
  EXPECT_EQ(full(), "1");
  EXPECT_EQ(Shape(Play(*model, again)), empty);  // known from another group
  EXPECT_EQ(full(), "2");
  EXPECT_EQ(model->rounds(), 3 * kPlaces);
}

TEST(SlotGroupTest, LabelsBeyondTheLastPlaceAreNotAvailable) {
  const auto model = MakeModel();
  std::vector<HostRequest> labels;
  for (int group = 0; group < 2; ++group) {
    std::vector<HostRequest> rounds;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      rounds.push_back(
          Predict(std::to_string(group) + "-" + std::to_string(i), 0.5));
    }
    for (const auto& [at, reply] : Play(*model, rounds).replies) {
      labels.push_back(LabelFor(testing::Member(reply, "ticket"), 1));
    }
  }
  const Played played = Play(*model, labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(played.replies.at(i).kind,
              i < kPlaces ? Kind::kTaken : Kind::kUnavailable);
  }
  EXPECT_EQ(played.records.size(), 2 * kPlaces);
  EXPECT_EQ(model->Describe().Find("clock")->Find("full_groups")->Dump(), "3");
}

TEST(SlotGroupTest, ARowWithoutARecordsRoomIsABadRow) {
  auto json =
      *Json::Parse(R"({"model":"tide","epsilon":1,"delta":1e-6,"horizon":1000,)"
                   R"("anyway":true,"clock":"slots:4"})");
  auto model =
      ServedModel::Create(*ModelConfiguration::Parse(json),
                          JournalKeys::Derive(testing::KeyOfBytes(3), {}), {});
  ASSERT_TRUE(model) << model.error().message;
  std::string values = "0.5";
  for (int i = 0; i < 300; ++i) values += ",0.5";
  const Played played =
      Play(**model, {{.body = R"({"x":[)" + values + "]}", .user = "ann"}});
  EXPECT_EQ(played.replies.at(0).kind, Kind::kEmptyRound);
  EXPECT_EQ(Shape(played), Shape(Play(**model, {})));
}

// The i-th request has the i-th place that was drawn.
TEST(SlotGroupTest, RequestsHaveThePlacesThatWereDrawn) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto model = MakeModel();
    const Played played =
        Play(*model, {Predict("ann", 0.5), Predict("bob", 0.5)}, seed);
    testing::SeededRng rng(seed);
    const std::vector<std::size_t> drawn = DrawPlaces(kPlaces, rng);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const auto round =
          DecodeRound(played.records[kPlaces + place].payload, {});
      ASSERT_TRUE(round);
      EXPECT_EQ(round->left_over, place != drawn[0] && place != drawn[1]);
    }
  }
}

// Padding is part of the format: other bytes in it are damage.
TEST(SlotGroupTest, APaddedRecordIsReadBack) {
  RoundRecord round{.round = {.x = {{0, 0.5}, {3, 1}}},
                    .repeat = Hash16{1, 2, 3}};
  Record record = EncodeRound(round);
  ASSERT_TRUE(PadRound(record, PaddedRoundBytes(2)));
  EXPECT_EQ(record.payload.size(), PaddedRoundBytes(2));
  const auto read = DecodeRound(record.payload, {});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->round.x, round.round.x);
  EXPECT_EQ(read->repeat, round.repeat);
  EXPECT_FALSE(read->left_over);
  record.payload.back() = 'x';
  EXPECT_FALSE(DecodeRound(record.payload, {}));
  Record longer = EncodeRound(round);
  EXPECT_FALSE(PadRound(longer, longer.payload.size() + 3));
  RoundRecord empty{.left_over = true};
  empty.round.presence = Presence::kAbsent;
  const auto filler = DecodeRound(EncodeRound(empty).payload, {});
  ASSERT_TRUE(filler);
  EXPECT_TRUE(filler->left_over);
  EXPECT_EQ(filler->round.presence, Presence::kAbsent);
}

// 24 orders, 60,000 draws: each within 6 deviations of 2,500, a false alarm
// below 24 * 2e-9.
TEST(SlotGroupStatisticalTest, EveryOrderOfPlacesIsEquallyLikely) {
  constexpr int kDraws = 60'000;
  testing::SeededRng rng(7);
  std::map<std::vector<std::size_t>, int> seen;
  for (int i = 0; i < kDraws; ++i) ++seen[DrawPlaces(kPlaces, rng)];
  EXPECT_EQ(seen.size(), 24U);
  const double expected = kDraws / 24.0;
  for (const auto& [order, count] : seen) {
    EXPECT_NEAR(count, expected, 6 * std::sqrt(expected));
  }
}

}  // namespace
}  // namespace sotto
