#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sotto/service/events/error_history.h"
#include "sotto/service/events/event_feed.h"
#include "sotto/service/events/history_file.h"
#include "sotto/service/events/model_trouble.h"
#include "sotto/service/events/model_watch.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

// A reader that keeps what it is sent.
struct Reader {
  std::shared_ptr<std::string> text = std::make_shared<std::string>();
  std::shared_ptr<bool> open = std::make_shared<bool>(true);
  http::BodyWriter writer() const {
    return {.write = [to = text](const std::string& piece) { *to += piece; },
            .open = [is = open] { return *is; }};
  }
};

TEST(EventFeedTest, AReaderThatComesBackGetsWhatItMissed) {
  EventFeed feed(1000);
  feed.Publish("a", 1);
  Reader first;
  feed.Subscribe(first.writer(), std::nullopt, "greeting");
  EXPECT_NE(first.text->find("id: 1000\nevent: hello\ndata: \"greeting\"\n\n"),
            std::string::npos);
  feed.Publish("b", 2);
  EXPECT_TRUE(first.text->ends_with("id: 1001\nevent: b\ndata: 2\n\n"));
  Reader second;
  feed.Subscribe(second.writer(), 1000, "greeting");
  EXPECT_EQ(second.text->find("hello"), std::string::npos);
  EXPECT_TRUE(second.text->ends_with("id: 1001\nevent: b\ndata: 2\n\n"));
}

TEST(EventFeedTest, NumbersOfAnotherProcessAreGreetedAnew) {
  EventFeed feed(1000);
  feed.Publish("a", 1);
  for (const std::uint64_t last : {std::uint64_t{5}, std::uint64_t{998},
                                   std::uint64_t{1001}, ~std::uint64_t{0}}) {
    Reader reader;
    feed.Subscribe(reader.writer(), last, "greeting");
    EXPECT_NE(reader.text->find("event: hello"), std::string::npos) << last;
  }
  for (std::size_t i = 0; i < EventFeed::kKept; ++i) feed.Publish("b", 2);
  Reader late;  // what it missed is no longer kept
  feed.Subscribe(late.writer(), 999, "greeting");
  EXPECT_NE(late.text->find("event: hello"), std::string::npos);
}

TEST(EventFeedTest, ReadersThatAreGoneAreForgotten) {
  EventFeed feed(1);
  Reader reader;
  feed.Subscribe(reader.writer(), std::nullopt, {});
  EXPECT_EQ(feed.readers(), 1U);
  *reader.open = false;
  feed.SendComment();
  EXPECT_EQ(feed.readers(), 0U);
  EXPECT_FALSE(reader.text->ends_with("alive\n\n"));
}

ErrorPoint Point(double time, std::uint64_t labelled, double own) {
  return {.time = time,
          .rounds = 2 * labelled,
          .labelled = labelled,
          .own = own,
          .constant = 2 * own};
}

TEST(ErrorHistoryTest, AWeekHasAtMost120PointsAndItsEnds) {
  ErrorHistory history;
  constexpr int kWeek = 7 * 86400;
  for (int second = 0; second < kWeek; ++second) {
    history.Add(Point(second, 10 * static_cast<std::uint64_t>(second),
                      static_cast<double>(second)));
  }
  const auto& points = history.points();
  EXPECT_LE(points.size(), ErrorHistory::kMost);
  EXPECT_GT(points.size(), ErrorHistory::kMost / 2 - 1);
  EXPECT_EQ(points.front().time, 0);
  EXPECT_GT(points.back().time, kWeek - 2 * history.step());
  const Json shown = history.ToJson();
  for (std::size_t i = 1; i < shown.array()->size(); ++i) {
    EXPECT_DOUBLE_EQ(*(*(*shown.array())[i].array())[2].number(), 0.1);
  }
}

TEST(ErrorHistoryTest, RatesAreOfTheWindowNotOfTheWholeLife) {
  ErrorHistory history;
  history.Add(Point(0, 0, 0));
  history.Add(Point(10, 10'000, 5000));  // every second is wrong
  history.Add(Point(20, 12'000, 5200));  // then one in ten
  const Json newest = history.Newest();
  EXPECT_EQ((*newest.array())[1].natural(), 2000U);
  EXPECT_DOUBLE_EQ(*(*newest.array())[2].number(), 0.1);
  EXPECT_DOUBLE_EQ(*(*newest.array())[4].number(), 0.2);
  EXPECT_TRUE((*newest.array())[3].is_null());  // not measured
}

TEST(ErrorHistoryTest, SumsThatWentDownBeginANewHistory) {
  ErrorHistory history;
  history.Add(Point(0, 100, 10));
  history.Add(Point(5, 200, 20));
  history.Add(Point(9, 50, 5));
  EXPECT_EQ(history.points().size(), 1U);
}

TEST(ErrorHistoryTest, LoadsWhatItSaved) {
  ErrorHistory history;
  for (int i = 0; i < 500; ++i) {
    ErrorPoint point = Point(i, static_cast<std::uint64_t>(i), i / 3.0);
    point.non_private = i / 4.0;
    point.releases = static_cast<std::uint64_t>(i / 7);
    history.Add(point);
  }
  ErrorHistory loaded;
  loaded.Load(*Json::Parse(history.Save().Dump()));
  EXPECT_EQ(loaded.ToJson(), history.ToJson());
  EXPECT_EQ(loaded.step(), history.step());
  loaded.Load(*Json::Parse(R"({"step":-3,"points":[1,[2],"x"]})"));
  EXPECT_LE(loaded.points().size(), 1U);
}

Key MakeKey(unsigned char byte) {
  std::array<std::byte, Key::kBytes> bytes{};
  bytes[0] = std::byte{byte};
  return Key::FromBytes(bytes);
}

TEST(HistoryFileTest, OnlyItsKeyOpensIt) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path();
  const Json history = Json::Object{{"life", Json::Object{{"own", 1234567}}}};
  EXPECT_FALSE(ReadHistory(path, MakeKey(1)));
  ASSERT_TRUE(WriteHistory(path, MakeKey(1), history));
  ASSERT_TRUE(WriteHistory(path, MakeKey(1), history));
  EXPECT_EQ(ReadHistory(path, MakeKey(1)), history);
  EXPECT_FALSE(ReadHistory(path, MakeKey(2)));
  const std::string bytes = folder.Read("history");
  EXPECT_GT(bytes.size(), 20U);
  EXPECT_EQ(bytes.find("life"), std::string::npos);
  EXPECT_EQ(bytes.find("1234567"), std::string::npos);
  folder.Write("history", bytes + "x");
  EXPECT_FALSE(ReadHistory(path, MakeKey(1)));
}

TEST(HistoryFileTest, AHistoryInTheClearIsTakenOverAndDeleted) {
  const testing::ScratchFolder folder;
  folder.Write("history.json", R"({"life":{"own":3}})");
  const auto read = ReadHistory(folder.path(), MakeKey(1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->Dump(), R"({"life":{"own":3}})");
  EXPECT_FALSE(std::filesystem::exists(folder.path("history.json")));
}

TEST(ErrorNowTest, FollowsTheLastTwoThousandLabels) {
  ErrorNow now;
  double own = 0;
  for (std::uint64_t labelled = 0; labelled <= 20'000; labelled += 10) {
    own += labelled < 15'000 ? 5 : 1;
    now.Add(Point(0, labelled, own));
  }
  const Json json = now.ToJson();
  EXPECT_NEAR(*Look(json, "window").number(), 2000, 120);
  EXPECT_NEAR(*Look(json, "own").number(), 0.1, 1e-9);
}

// Looks at a model that plays.
class ModelWatchTest : public ::testing::Test {
 protected:
  Json Status(std::uint64_t rounds, std::uint64_t phase,
              const char* state = "ready") {
    return Json::Object{
        {"name", "life"},
        {"state", state},
        {"rounds", rounds},
        {"phase", phase},
        {"labelled", rounds},
        {"guarantee", Json::Object{{"epsilon", 1}, {"delta", 1e-6}}},
        {"promise", Json::Object{{"sentence", "as the host writes it"}}},
        {"errors", Json::Object{{"labelled", rounds},
                                {"own", rounds / 4},
                                {"constant", rounds / 2},
                                {"non_private", Json()}}},
        {"parameters", Json::Object{{"start_rows", 400}, {"batch", 100}}},
        {"journal", Json::Object{{"term", term_}, {"records", rounds}}}};
  }
  void Take(ModelWatch& watch, Json status, Json release = {}) {
    time_ += 1;
    ModelLook look{.time = time_, .status = std::move(status)};
    look.release = std::move(release);
    look.traffic = traffic_;
    watch.Take(look, [this](std::string_view event, const Json& data) {
      seen_.emplace_back(event, data);
    });
  }
  std::vector<Json> Seen(std::string_view event) const {
    std::vector<Json> found;
    for (const auto& [name, data] : seen_) {
      if (name == event) found.push_back(data);
    }
    return found;
  }
  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const Json& event : Seen("event")) {
      kinds.push_back(ReadText(Look(event, "kind")) + " " +
                      ReadText(Look(event, "visible")));
    }
    return kinds;
  }

  double time_ = 1000;
  std::uint64_t term_ = 1;
  RequestMeter::Traffic traffic_{};
  std::vector<std::pair<std::string, Json>> seen_;
};

TEST_F(ModelWatchTest, SaysThePromiseOnceAndFiguresEverySecond) {
  ModelWatch watch("life");
  for (std::uint64_t i = 1; i <= 5; ++i) Take(watch, Status(i * 50, 0));
  ASSERT_EQ(Seen("promise").size(), 1U);
  EXPECT_EQ(ReadText(Look(Seen("promise")[0], "sentence")),
            "as the host writes it");
  ASSERT_EQ(Seen("model").size(), 5U);
  const Json figures = Seen("model").back();
  EXPECT_EQ(Look(figures, "rounds").natural(), 250U);
  EXPECT_DOUBLE_EQ(*Look(figures, "rate").number(), 50);
  EXPECT_EQ(Look(figures, "next_release_in").natural(), 150U);
  EXPECT_TRUE(Look(figures, "error", "non_private").is_null());
  EXPECT_TRUE(Look(figures, "trouble").is_null());
}

TEST_F(ModelWatchTest, PhasesOfAModelThatPublishesAreReleases) {
  ModelWatch watch("life");
  const Json view = Json::Object{{"columns", Json::Array{}}};
  Take(watch, Status(400, 1), view);
  Take(watch, Status(500, 2), view);
  EXPECT_EQ(Seen("release").size(), 2U);
  EXPECT_EQ(Look(Seen("release")[1], "n").natural(), 2U);
  EXPECT_EQ(ReadText(Look(Seen("release")[1], "visible")), "public");
  EXPECT_TRUE(Kinds().empty());
  ModelWatch other("life");
  Take(other, Status(400, 1));
  Take(other, Status(500, 2));
  EXPECT_EQ(Kinds(), std::vector<std::string>{"handover public"});
}

// The file's length is seen by who reads the disk without the key.
TEST_F(ModelWatchTest, LengthOfWhatIsKeptDoesNotTellMistakes) {
  const auto saved = [this](double share, std::uint64_t refusals) {
    ModelWatch watch("life");
    time_ = 1000;
    for (std::uint64_t i = 1; i <= 500; ++i) {
      Json status = Status(i * 50, 0);
      status["errors"]["own"] =
          static_cast<std::uint64_t>(share * static_cast<double>(i * 50));
      traffic_.statuses[503] = i > 250 ? refusals : 0;
      Take(watch, std::move(status));
    }
    return watch.Save();
  };
  const Json good = saved(0.01, 0);
  const Json bad = saved(0.333, 1000);
  EXPECT_NE(good, bad);
  EXPECT_NE(Look(good, "history").Dump().size(),
            Look(bad, "history").Dump().size());
  EXPECT_EQ(good.Dump().size(), bad.Dump().size());
}

TEST_F(ModelWatchTest, RestartsFreezesAndFloodsAreEvents) {
  ModelWatch watch("life");
  term_ = 2;
  Take(watch, Status(400, 1));
  traffic_.statuses[429] = 25;
  Take(watch, Status(500, 1));
  Take(watch, Status(600, 1, "halted"));
  Json frozen = Json::Object{
      {"name", "life"}, {"state", "frozen"}, {"reason", "behind its anchor"}};
  Take(watch, frozen);
  Take(watch, frozen);
  EXPECT_EQ(Kinds(),
            (std::vector<std::string>{"restart public", "refusals operator",
                                      "halt public", "freeze public"}));
  const Json last = Seen("model").back();
  EXPECT_EQ(Look(last, "rounds").natural(), 600U);  // as of then
  EXPECT_EQ(ReadText(Look(last, "trouble", "level")), "bad");
  const std::string steps = Look(last, "trouble", "steps").Dump();
  EXPECT_NE(steps.find("epsilon 2, delta 2e-6"), std::string::npos) << steps;
}

// A journal in its first term where another model was known.
TEST_F(ModelWatchTest, ARollbackIsAnEvent) {
  ModelWatch watch("life");
  Take(watch, Status(400, 1));
  EXPECT_TRUE(Kinds().empty());
  for (const std::uint64_t term : {2U, 1U}) {
    seen_.clear();
    term_ = term;
    ModelWatch next("life");
    next.Load(*Json::Parse(watch.Save().Dump()));
    Take(next, Status(term == 1 ? 0 : 500, 0));
    EXPECT_EQ(Kinds(), std::vector<std::string>{term == 1 ? "rollback public"
                                                          : "restart public"});
  }
}

TEST_F(ModelWatchTest, AWeekOfReleasesHasAtMost60Points) {
  ModelWatch watch("life");
  constexpr std::uint64_t kMany = 3000;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    time_ += 200;
    Take(watch, Status(400 + i, i),
         Json::Object{{"columns", Json::Array{Json::Array{
                                      "age", static_cast<double>(i)}}}});
  }
  const auto check = [](const ModelWatch& one) {
    const Json hello = one.Hello();
    const Json::Array& points = *Look(hello, "releases", "points").array();
    EXPECT_LE(points.size(), ReleaseHistory::kMost);
    EXPECT_GE(points.size(), ReleaseHistory::kMost / 2);
    EXPECT_EQ((*points.front().array())[1].natural(), 0U);
    EXPECT_GT((*points.back().array())[1].natural().value_or(0),
              kMany * 9 / 10);
  };
  check(watch);
  ModelWatch next("life");
  next.Load(*Json::Parse(watch.Save().Dump()));
  check(next);
  // The page keeps what the service keeps.
  std::size_t kept = 0;
  for (const Json& event : Seen("release")) {
    kept += Look(event, "step").number() ? 1 : 0;
  }
  EXPECT_LT(kept, kMany);
  EXPECT_GE(kept, ReleaseHistory::kMost);
}

TEST_F(ModelWatchTest, AFrozenModelOfAnEarlierLifeKeepsItsPromise) {
  ModelWatch watch("life");
  Take(watch, Status(400, 1), Json::Object{{"text", "a rule"}});
  ModelWatch next("life");
  next.Load(*Json::Parse(watch.Save().Dump()));
  Take(next, Json::Object{{"name", "life"}, {"state", "frozen"}});
  const Json hello = next.Hello();
  EXPECT_EQ(ReadText(Look(hello, "promise", "sentence")),
            "as the host writes it");
  EXPECT_EQ(Look(hello, "model", "rounds").natural(), 400U);
  EXPECT_EQ(ReadText(Look(hello, "release", "text")), "a rule");
  EXPECT_EQ(Look(hello, "error", "points").array()->size(), 1U);
}

}  // namespace
}  // namespace sotto
