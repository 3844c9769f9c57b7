#include "sotto/learners/ensembles/process_learner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/ensemble_test_stream.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/point_learner.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

// Point learners in Python, and ways to misbehave, chosen by the argument.
constexpr const char* kLearner = R"(
import json, os, sys, time
mode = sys.argv[1] if len(sys.argv) > 1 else "good"
generations = {}
def value(x):
    if isinstance(x, list):
        return x[0] if x else 0.0
    return x.get("0", 0.0)
def votes(points, v):
    return "".join("1" if p == v else "0" for p in points)
def answer(r):
    global generations
    op = r["op"]
    if op == "init":
        generations[str(r["generation"])] = [None] * r["copies"]
    elif op == "predict":
        good = votes(generations[str(r["generation"])], value(r["x"]))
        return {"good": {"votes": good}, "short": {"votes": good[1:]},
                "letters": {"votes": good[1:] + "x"},
                "number": {"votes": 7}, "error": {"error": "out of order"},
                }.get(mode, {"votes": good})
    elif op == "learn":
        points = generations[str(r["generation"])]
        v = value(r["x"])
        if r["y"] == 1:
            points[r["copy"]] = v
        elif points[r["copy"]] == v:
            points[r["copy"]] = None
    elif op == "drop":
        del generations[str(r["generation"])]
        if mode == "quiet_drop":
            return None
    elif op == "save":
        return {"state": json.dumps(generations)}
    elif op == "load":
        generations = json.loads(r["state"])
    return {"ok": True}
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "predict":
        if mode == "dies":
            sys.exit(3)
        if mode == "signal":
            os.kill(os.getpid(), 9)
        if mode == "nonsense":
            print("hello\tthere", flush=True)
            continue
        if mode == "endless":
            sys.stdout.write("0" * 3000000)
            sys.stdout.flush()
            time.sleep(60)
        if mode == "twice":
            line = json.dumps(answer(request)) + "\n"
            sys.stdout.write(line + line)
            sys.stdout.flush()
            continue
    reply = answer(request)
    if reply is not None:
        print(json.dumps(reply), flush=True)
)";

class ProcessLearnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("sotto-process-" + std::to_string(getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    std::ofstream(folder_ / "learner.py") << kLearner;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<ProcessLearner> Start(
      const std::string& mode,
      std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    auto learner = ProcessLearner::Create(
        {.command = "python3 " + (folder_ / "learner.py").string() + " " + mode,
         .timeout = timeout,
         .max_line_bytes = 1 << 20});
    EXPECT_TRUE(learner);
    return std::move(*learner);
  }
  // The error of the first vote.
  std::string GetFailure(const std::string& mode) {
    auto learner = Start(mode);
    auto ensemble = learner->NewEnsemble(0, 3);
    EXPECT_TRUE(ensemble) << ensemble.error().message;
    const FeatureVector x = {{0, 0.123456}};
    const auto votes = (*ensemble)->Votes(x);
    EXPECT_FALSE(votes);
    EXPECT_EQ(votes.error().code, ErrorCode::kUnavailable);
    // It stays refused.
    EXPECT_EQ((*ensemble)->Update(0, x, true).error().message,
              votes.error().message);
    // The request contains a user's data.
    EXPECT_EQ(votes.error().message.find("0.123456"), std::string::npos);
    return votes.error().message;
  }

  fs::path folder_;
};

constexpr const char* kAsked = "the learner process was asked to predict: ";

TEST(FeaturesToJsonTest, WritesArraysWhereItCan) {
  EXPECT_EQ(FeaturesToJson({}), "[]");
  EXPECT_EQ(FeaturesToJson(FeatureVector{{0, 0.1}, {1, -2}}), "[0.1,-2]");
  EXPECT_EQ(FeaturesToJson(FeatureVector{{0, 1}, {2, 1e-300}}),
            "{\"0\":1,\"2\":1e-300}");
}

TEST_F(ProcessLearnerTest, EqualsTheLoopVoteForVote) {
  auto learner = Start("good");
  const auto stream =
      testing::MakeStream({.rounds = 200, .copies = 20, .grid = 4});
  const std::span<const Ensemble::Step> steps = stream.steps;
  auto ensemble = learner->NewEnsemble(0, 20);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  NaiveEnsemble<PointLearner> naive(PointLearner(), 20);
  const auto expected = testing::PlayOneByOne(naive, steps);
  auto votes = testing::PlayInBatches(**ensemble, steps.first(100), 16);

  // The second half in another program, from the saved state.
  const std::string bytes = testing::Saved(**ensemble);
  auto successor = Start("good");
  auto resumed = successor->NewEnsemble(0, 20);
  ASSERT_TRUE(resumed);
  ASSERT_TRUE(testing::LoadFrom(**resumed, bytes));
  const auto rest = testing::PlayOneByOne(**resumed, steps.subspan(100));
  votes.insert(votes.end(), rest.begin(), rest.end());
  EXPECT_EQ(votes, expected);
}

// Holds if the program answers a drop, and if not.
TEST_F(ProcessLearnerTest, KeepsGenerationsApartAndDropsThem) {
  for (const char* mode : {"good", "quiet_drop"}) {
    auto learner = Start(mode);
    auto first = learner->NewEnsemble(0, 2);
    auto second = learner->NewEnsemble(1, 3);
    ASSERT_TRUE(first && second);
    const FeatureVector x = {{0, 5}};
    ASSERT_TRUE((*first)->Update(1, x, true));
    EXPECT_EQ(*(*first)->Votes(x), 1);
    EXPECT_EQ(*(*second)->Votes(x), 0);
    first->reset();
    ASSERT_TRUE((*second)->Update(0, x, true));
    ASSERT_TRUE((*second)->Update(2, x, true));
    EXPECT_EQ(*(*second)->Votes(x), 2);
    auto third = learner->NewEnsemble(2, 1);
    ASSERT_TRUE(third) << third.error().message;
    second->reset();
    EXPECT_EQ(*(*third)->Votes(x), 0);
    EXPECT_EQ(*(*third)->Votes(x), 0);
  }
}

TEST_F(ProcessLearnerTest, RefusesTheWrongNumberOfVotes) {
  EXPECT_EQ(
      GetFailure("short"),
      std::string(kAsked) + "it gave 2 votes; expected 3 votes, each 0 or 1");
}

TEST_F(ProcessLearnerTest, RefusesVotesOtherThanZeroAndOne) {
  EXPECT_EQ(GetFailure("letters"),
            std::string(kAsked) +
                "it gave \"00x\" as votes; expected 3 votes, each 0 or 1");
}

TEST_F(ProcessLearnerTest, RefusesWhatIsNotJson) {
  EXPECT_EQ(GetFailure("nonsense"), std::string(kAsked) +
                                        "it answered \"hello?there\"; expected "
                                        "{\"votes\":\"...\"}");
}

TEST_F(ProcessLearnerTest, RefusesVotesOfAnotherType) {
  EXPECT_EQ(GetFailure("number"),
            std::string(kAsked) +
                "it answered \"{\"votes\": 7}\"; expected "
                "{\"votes\":\"...\"}");
}

TEST_F(ProcessLearnerTest, PassesOnTheProgramsOwnError) {
  EXPECT_NE(GetFailure("error").find("out of order"), std::string::npos);
}

TEST_F(ProcessLearnerTest, ReportsTheExitStatus) {
  EXPECT_EQ(GetFailure("dies"), std::string(kAsked) +
                                    "the program ended with exit status 3; "
                                    "expected a line for each request");
}

TEST_F(ProcessLearnerTest, ReportsTheSignalThatEndedIt) {
  // A shell that did not replace itself reports 128 + 9 in its own status.
  const std::string message = GetFailure("signal");
  EXPECT_TRUE(message.find("signal 9") != std::string::npos ||
              message.find("exit status 137") != std::string::npos)
      << message;
}

TEST_F(ProcessLearnerTest, RefusesAnEndlessAnswer) {
  EXPECT_NE(GetFailure("endless").find("more than 1048576 bytes"),
            std::string::npos);
}

TEST_F(ProcessLearnerTest, RefusesAnUnrequestedLine) {
  auto learner = Start("twice");
  auto ensemble = learner->NewEnsemble(0, 3);
  ASSERT_TRUE(ensemble);
  const FeatureVector x = {{0, 1}};
  // Both answers are written together, so both are here after the first read.
  ASSERT_TRUE((*ensemble)->Votes(x));
  const auto votes = (*ensemble)->Votes(x);
  ASSERT_FALSE(votes);
  EXPECT_NE(votes.error().message.find("no line that nobody asked for"),
            std::string::npos);
}

TEST_F(ProcessLearnerTest, RefusesSilence) {
  auto learner = ProcessLearner::Create(
      {.command = "read line; echo '{\"ok\":true}'; sleep 60",
       .timeout = std::chrono::milliseconds(500)});
  ASSERT_TRUE(learner);
  auto ensemble = (*learner)->NewEnsemble(0, 3);
  ASSERT_TRUE(ensemble) << ensemble.error().message;
  const auto votes = (*ensemble)->Votes({});
  ASSERT_FALSE(votes);
  EXPECT_NE(votes.error().message.find("did not answer within 500 ms"),
            std::string::npos);
}

TEST_F(ProcessLearnerTest, ReportsThatTheProgramCannotBeFound) {
  auto learner = ProcessLearner::Create(
      {.command = "2>/dev/null " + (folder_ / "nothing").string()});
  ASSERT_TRUE(learner);
  const auto ensemble = (*learner)->NewEnsemble(0, 3);
  ASSERT_FALSE(ensemble);
  EXPECT_NE(ensemble.error().message.find("ended with exit status 127"),
            std::string::npos)
      << ensemble.error().message;
}

TEST_F(ProcessLearnerTest, RefusesAnEmptyCommand) {
  const auto learner = ProcessLearner::Create({.command = ""});
  ASSERT_FALSE(learner);
  EXPECT_EQ(learner.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ProcessLearnerTest, RefusesTheStateOfAnotherGeneration) {
  auto learner = Start("good");
  auto first = learner->NewEnsemble(0, 2);
  auto second = learner->NewEnsemble(1, 2);
  ASSERT_TRUE(first && second);
  const Status loaded = testing::LoadFrom(**second, testing::Saved(**first));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kCorruption);
}

// The program is gone before the first line is written.
TEST(ChildProcessTest, SurvivesWritingToAProgramThatEnded) {
  auto child = ChildProcess::Start({.command = "exit 5"});
  ASSERT_TRUE(child);
  ASSERT_FALSE((*child)->ReadLine());
  const Status sent = (*child)->WriteLine("anybody?");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnavailable);
}

TEST(ChildProcessTest, ReportsAProgramThatReadsNothing) {
  auto child = ChildProcess::Start(
      {.command = "sleep 60", .timeout = std::chrono::milliseconds(50)});
  ASSERT_TRUE(child);
  const Status sent = (*child)->WriteLine(std::string(1 << 20, 'x'));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().message,
            "the program did not read its input within 50 ms");
}

TEST(ChildProcessTest, KillsWhatTheProgramStarted) {
  auto child = ChildProcess::Start({.command = "sleep 60 & echo $!; wait"});
  ASSERT_TRUE(child);
  const auto line = (*child)->ReadLine();
  ASSERT_TRUE(line);
  const auto grandchild = static_cast<pid_t>(std::stol(*line));
  EXPECT_EQ(kill(grandchild, 0), 0);
  child->reset();
  // The process that adopted it needs a moment to collect it.
  std::string state = "R";
  for (int i = 0; i < 1000 && state != "Z" && !state.empty(); ++i) {
    std::ifstream stat("/proc/" + *line + "/stat");
    std::string skipped;
    state.clear();
    stat >> skipped >> skipped >> state;
    usleep(1000);
  }
  EXPECT_TRUE(state.empty() || state == "Z" || state == "X") << state;
}

TEST(ChildProcessTest, ExchangesLongLines) {
  auto child = ChildProcess::Start({.command = "cat"});
  ASSERT_TRUE(child);
  const std::string line(60'000, 'y');
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE((*child)->WriteLine(line));
    EXPECT_EQ(*(*child)->ReadLine(), line);
  }
}

}  // namespace
}  // namespace sotto
