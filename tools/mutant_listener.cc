// Linked into the tests of a build for mutation testing (mutants.py). With
// SOTTO_MUTANT_TRACE it appends to that file, for each test, which mutants it
// reached; a test that takes longer than SOTTO_MUTANT_SLOW seconds of processor
// time ends the process.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tools/mutant_switch.h"

namespace {

class Listener final : public testing::EmptyTestEventListener {
 public:
  explicit Listener(std::FILE* file) : file_(file) {}

  void OnTestStart(const testing::TestInfo& test) override {
    std::fprintf(file_, "{\"begins\": \"%s.%s\"}\n", test.test_suite_name(),
                 test.name());
    std::fflush(file_);
    sotto_mutants::Switches::Get().TakeReached([](int) {});
    began_ = std::clock();
    const char* slow = std::getenv("SOTTO_MUTANT_SLOW");
    itimerval limit{};
    limit.it_value.tv_sec = slow == nullptr ? 3600 : std::atoi(slow);
    setitimer(ITIMER_PROF, &limit, nullptr);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const double seconds =
        static_cast<double>(std::clock() - began_) / CLOCKS_PER_SEC;
    std::fprintf(file_, "{\"test\": \"%s.%s\", \"passed\": %s, \"seconds\": %f",
                 test.test_suite_name(), test.name(),
                 test.result()->Passed() ? "true" : "false", seconds);
    std::fprintf(file_, ", \"reached\": [");
    const char* comma = "";
    sotto_mutants::Switches::Get().TakeReached([&](int number) {
      std::fprintf(file_, "%s%d", comma, number);
      comma = ", ";
    });
    std::fprintf(file_, "]}\n");
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
  std::clock_t began_ = 0;
};

const bool kListens = [] {
  const char* path = std::getenv("SOTTO_MUTANT_TRACE");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return false;
  // A program that the test starts must not write to the same file.
  sotto_mutants::Switches::Get();
  unsetenv("SOTTO_MUTANT_TRACE");
  std::signal(SIGPROF, [](int) { std::_Exit(3); });
  testing::UnitTest::GetInstance()->listeners().Append(new Listener(file));
  return true;
}();

}  // namespace
