// Counts a thousand events privately and says what is promised.
#include <cstdint>
#include <cstdio>

#include "sotto/mechanisms.h"
#include "sotto/random.h"

namespace {

constexpr std::uint64_t kEvents = 1000;

int Failed(const sotto::Error& error) {
  std::fprintf(stderr, "consumer: %s\n", error.message.c_str());
  return 1;
}

int Run() {
  const auto key = sotto::Key::Generate();
  if (!key) return Failed(key.error());
  sotto::ChaChaRng rng(key->Derive("noise-v1", "consumer", {}));
  auto counter =
      sotto::Counter::Create({.epsilon = 1, .delta = 1e-6, .horizon = kEvents});
  if (!counter) return Failed(counter.error());

  std::int64_t estimate = 0;
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    const auto now = counter->Add(1, rng);
    if (!now) return Failed(now.error());
    estimate = *now;
  }
  std::printf("about %lld events; %s\n%s\n", static_cast<long long>(estimate),
              counter->Describe().c_str(),
              counter->guarantee().Describe().c_str());
  return 0;
}

}  // namespace

int main() { return Run(); }
