// Models behind a host do what their mechanisms do: the noise, the cut of a
// value, the limit of a user, the promise; and a new key is a new tape of
// noise.
#include "sotto/service/served_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/journal/journal_test_tools.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/random/history_rng.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/service/model_machine.h"
#include "sotto/service/promise.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto {
namespace {

using testing::KeyOfBytes;
using testing::LabelFor;
using testing::Member;
using testing::Predict;

ModelConfiguration Parse(const std::string& json) {
  auto configuration = ModelConfiguration::Parse(*Json::Parse(json));
  EXPECT_TRUE(configuration);
  return *std::move(configuration);
}

HostReply Ask(ServedModel& model, const HostRequest& request) {
  ServedStep step = model.Prepare(request);
  auto reply = model.Apply(step);
  EXPECT_TRUE(reply);
  return *std::move(reply);
}

HostRequest AddValue(const std::string& user, int value) {
  return {.kind = HostRequest::Kind::kAdd,
          .body = R"({"value":)" + std::to_string(value) + "}",
          .user = user};
}

std::unique_ptr<ServedModel> SaveAndLoad(
    const ModelConfiguration& configuration, ServedModel& model) {
  ByteWriter writer;
  EXPECT_TRUE(model.Save(writer));
  auto loaded = ServedModel::Load(configuration, writer.bytes());
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  return *std::move(loaded);
}

const JournalKeys& TestKeys() {
  static const JournalKeys kKeys = JournalKeys::Derive(KeyOfBytes(1), {});
  return kKeys;
}

// Values above the bound of 3 are cut, a user's third step counts as 0, also if
// the first one was no number, and the noise is for the six units that a user
// may add.
template <typename Mechanism>
void CheckCounter(
    const std::string& json, Result<Mechanism> direct,
    const std::function<std::string(Mechanism&, std::uint64_t, Rng&)>& add) {
  const ModelConfiguration configuration = Parse(json);
  auto model = ServedModel::Create(configuration, TestKeys(), {});
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_TRUE(direct);
  HistoryRng rng(TestKeys().noise.Derive("counter-v1", "", {}));
  for (int i = 0; i < 60; ++i) {
    const int value = i % 6;
    const std::string user = "u" + std::to_string(i % 20);
    const bool bad = i == 7;  // its third is 5
    const bool over_limit = i >= 40;
    const std::uint64_t counted =
        over_limit || bad ? 0 : static_cast<std::uint64_t>(std::min(value, 3));
    rng.Absorb(counted);
    HostRequest request = AddValue(user, value);
    if (bad) request.body = R"({"value":"?"})";
    EXPECT_EQ(Ask(**model, request).body, add(*direct, counted, rng)) << i;
    if (i % 25 == 20) *model = SaveAndLoad(configuration, **model);
  }
  const Guarantee& promise = (*model)->guarantee();
  EXPECT_LE(promise.epsilon(), 2);
  EXPECT_GE(promise.epsilon(), 1.98);
  EXPECT_EQ(promise.rounds_per_user(), 6U);
  EXPECT_EQ(ServedModel::Check(configuration)->epsilon(), promise.epsilon());
}

TEST(ServedModelTest, ACounterIsItsMechanismOnWhatMayCount) {
  const ApproximateDp each = *PerRoundTarget({2, 1e-6}, 6);
  CheckCounter<Counter>(
      R"({"name":"c","model":"count","epsilon":2,"delta":1e-6,"horizon":100,)"
      R"("bound":3,"rounds-per-user":2})",
      Counter::Create(
          {.epsilon = each.epsilon, .delta = each.delta, .horizon = 100}),
      [](Counter& counter, std::uint64_t value, Rng& rng) {
        return R"({"estimate":)" + std::to_string(*counter.Add(value, rng)) +
               "}";
      });
}

TEST(ServedModelTest, AMonitorIsItsMechanismOnWhatMayCount) {
  const ApproximateDp each = *PerRoundTarget({2, 0}, 6);
  CheckCounter<ThresholdMonitor>(
      R"({"name":"c","model":"monitor","epsilon":2,"horizon":100,)"
      R"("threshold":1000000,"bound":3,"rounds-per-user":2})",
      ThresholdMonitor::Create(
          {.epsilon = each.epsilon, .threshold = 1'000'000, .horizon = 100}),
      [](ThresholdMonitor& monitor, std::uint64_t value, Rng& rng) {
        const bool above =
            *monitor.Add(value, rng) == ThresholdMonitor::Answer::kAbove;
        return std::string(R"({"above":)") + (above ? "true}" : "false}");
      });
}

class ServedNumbersTest : public ::testing::Test {
 protected:
  ServedNumbersTest() {
    std::string text;
    for (int i = 0; i < 3000; ++i) {
      numbers_.push_back(i % 1000);
      text += std::to_string(i % 1000) + "\n";
    }
    folder_.Write("numbers", text);
  }
  ModelConfiguration Configuration(const std::string& relation) const {
    return Parse(R"({"name":"q","model":"quantile","epsilon":4,"delta":1e-6,)"
                 R"("horizon":40,"relation":")" +
                 relation + R"(","train":")" + folder_.path("numbers") + "\"}");
  }
  static HostRequest Query(int x) {
    return {.body = R"({"x":)" + std::to_string(x) + "}"};
  }
  static std::string Answers(ServedModel& model) {
    std::string all;
    for (int i = 0; i < 20; ++i) all += Ask(model, Query(i * 41)).body;
    return all;
  }

  testing::ScratchFolder folder_;
  std::vector<double> numbers_;
};

// A number that is replaced leaves and comes: each step has half.
TEST_F(ServedNumbersTest, RanksAreThoseOfTheMechanismWithItsShare) {
  for (const auto& [relation, steps] :
       {std::pair("replace", 2U), std::pair("add-remove", 1U)}) {
    const ModelConfiguration configuration = Configuration(relation);
    std::vector<std::string> rows;
    const auto records =
        ServedModel::ReadTrainingRows(configuration, TestKeys());
    ASSERT_TRUE(records);
    for (const Record& row : *records) {
      rows.push_back(row.payload);
    }
    auto model = ServedModel::Create(configuration, TestKeys(), rows);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(ToString((*model)->guarantee().relation()),
              std::string_view(relation));
    EXPECT_LE((*model)->guarantee().epsilon(), 4);
    EXPECT_GE((*model)->guarantee().epsilon(), 3.99);
    EXPECT_EQ(ServedModel::Check(configuration)->epsilon(),
              (*model)->guarantee().epsilon());

    const ApproximateDp each =
        steps == 1 ? ApproximateDp{4, 1e-6} : *PerRoundTarget({4, 1e-6}, steps);
    const auto hash = TestKeys()
                          .noise.Derive("quantile-v1", "data", {})
                          .Hash({reinterpret_cast<const char*>(numbers_.data()),
                                 numbers_.size() * sizeof(double)});
    HistoryRng first(TestKeys().noise.Derive("quantile-v1", "", {}));
    first.Absorb(hash[0], hash[1] >> 1);
    auto ranks = OnlineThresholds::Create(
        {.epsilon = each.epsilon, .delta = each.delta, .horizon = 40}, numbers_,
        first);
    ASSERT_TRUE(ranks);
    HistoryRng rng(first.key());
    for (int i = 0; i < 20; ++i) {
      const double x = i * 41;
      rng.Absorb(std::bit_cast<std::uint64_t>(x));
      EXPECT_EQ(Member(Ask(**model, Query(i * 41)), "prediction"),
                std::to_string(ranks->Query(x, rng)->estimate));
      if (i == 9) *model = SaveAndLoad(configuration, **model);
    }
  }
}

// Rows before an interrupted MODEL are not the new model's.
TEST_F(ServedNumbersTest, TheRowsOfAnInterruptedCreationAreNotTrained) {
  const ModelConfiguration configuration = Configuration("replace");
  const auto make = [&](bool interrupted) {
    ModelMachine machine({KeyOfBytes(1)}, {});
    auto records = *machine.MakeRecords(configuration);
    std::vector<Record> all;
    if (interrupted) all.assign(records.begin(), records.end() - 1);
    all.insert(all.end(), records.begin(), records.end());
    for (const Record& record : all) {
      EXPECT_TRUE(machine.Replay({record.type, record.payload}));
    }
    return Answers(*machine.model());
  };
  EXPECT_EQ(make(true), make(false));
}

// Next outputs of a model: estimates, ranks, or the model that it publishes.
std::string ShowNext(ServedModel& model, const std::string& kind) {
  std::string shown;
  for (int i = 0; i < 60; ++i) {
    const std::string user = "n" + std::to_string(i);
    if (kind == "count") shown += Ask(model, AddValue(user, 1)).body;
    if (kind == "quantile" && i < 20) {
      shown +=
          Ask(model, {.body = R"({"x":)" + std::to_string(i * 41) + "}"}).body;
    }
    if (kind != "tide") continue;
    const HostReply reply = Ask(model, Predict(user, i % 2));
    Ask(model, LabelFor(Member(reply, "ticket"), i % 2));
  }
  return shown + model.Hypothesis().value_or("");
}

class ServedKeysTest : public ServedNumbersTest,
                       public ::testing::WithParamInterface<const char*> {
 protected:
  std::string kind() const { return GetParam(); }
  ModelConfiguration Configuration() const {
    if (kind() == "quantile") {
      return ServedNumbersTest::Configuration("replace");
    }
    if (kind() == "count") {
      return Parse(
          R"({"name":"c","model":"count","epsilon":0.1,"horizon":100})");
    }
    std::string json = testing::kTide;
    json.insert(1, R"("start-rows":25,"batch":5,)");
    return Parse(json);
  }
  std::string MakeState() const {
    ModelMachine machine({KeyOfBytes(1)}, {});
    const auto records = machine.MakeRecords(Configuration());
    EXPECT_TRUE(records);
    for (const Record& record : *records) {
      EXPECT_TRUE(machine.Replay({record.type, record.payload}));
    }
    return *machine.Save();
  }
  // Next outputs after a change of the machine.
  std::string Continue(
      const std::function<void(ModelMachine& machine)>& change) const {
    ModelMachine machine({KeyOfBytes(1), KeyOfBytes(2)}, {});
    EXPECT_TRUE(machine.Load(MakeState()));
    change(machine);
    return ShowNext(*machine.model(), kind());
  }
};

TEST_P(ServedKeysTest, ANewKeyIsNewNoiseAndTheSameKeyIsNot) {
  const std::string same = Continue([](ModelMachine&) {});
  EXPECT_EQ(Continue([](ModelMachine&) {}), same);
  EXPECT_NE(same, "");
  const auto rotate = [](ModelMachine& machine) {
    const Record record = machine.MakeKeyRecord();
    EXPECT_TRUE(machine.Replay({record.type, record.payload}));
  };
  const std::string rotated = Continue(rotate);
  EXPECT_NE(rotated, same);
  EXPECT_EQ(Continue(rotate), rotated);
}

// A program that answers differently must not put old noise on other numbers.
TEST_P(ServedKeysTest, AnotherVersionDrawsOtherNoise) {
  const std::string same = Continue([](ModelMachine&) {});
  EXPECT_NE(Continue([](ModelMachine& machine) {
              EXPECT_TRUE(machine.AdoptSemantics());
            }),
            same);
}

INSTANTIATE_TEST_SUITE_P(All, ServedKeysTest,
                         ::testing::Values("count", "quantile", "tide"),
                         [](const auto& kind) { return kind.param; });

TEST(ServedModelTest, ABadRowKeepsNothingOfItsUserButTheName) {
  auto model = ServedModel::Create(Parse(testing::kTide), TestKeys(), {});
  ASSERT_TRUE(model) << model.error().message;
  const ServedStep step = (*model)->Prepare(
      {.body = R"({"x":["no number"],"y":1})", .user = "u", .credential = "c"});
  EXPECT_EQ(step.round.round.presence, Presence::kUnusable);
  EXPECT_FALSE(step.round.round.y);
  EXPECT_TRUE(step.round.round.x.empty());
  EXPECT_EQ(step.round.round.user.size(), std::tuple_size_v<Hash16>);
}

// Coming at another time is not coming, and coming: two steps.
TEST(ServedModelTest, ComingAtAnotherTimeCostsTwoSteps) {
  const auto guarantee = Guarantee::Create({.relation = Relation::kReplace,
                                            .epsilon = 1.5,
                                            .delta = 1e-6,
                                            .protects = "a round"});
  const Json said =
      DescribeSlots("tide", {.rounds = 4, .seconds = 1}, {}, *guarantee);
  const Json& cost = *said.Find("another_time");
  const ApproximateDp two = ForGroup(ApproximateDp{1.5, 1e-6}, 2);
  EXPECT_NEAR(*cost.Find("epsilon")->number(), two.epsilon, 1e-12);
  EXPECT_NEAR(*cost.Find("delta")->number(), (1 + std::exp(1.5)) * 1e-6, 1e-15);
}

}  // namespace
}  // namespace sotto
