// Counts a thousand events privately and prints the guarantee.
#include <cstdio>

#include "sotto/mechanisms.h"
#include "sotto/random.h"

int main() {
  const auto key = sotto::Key::Generate();
  auto counter = sotto::Counter::Create({.epsilon = 1, .horizon = 1000});
  if (!key || !counter) return 1;
  sotto::ChaChaRng rng(*key);
  for (int i = 0; i < 999; ++i) static_cast<void>(counter->Add(1, rng));
  const auto estimate = counter->Add(1, rng);
  if (!estimate) return 1;
  std::printf("about %lld events; %s\n", static_cast<long long>(*estimate),
              counter->guarantee().Describe().c_str());
}
