// A learner of your own, made private.
#include "sotto/pop.h"

#include <cstdio>

#include "sotto/learners.h"
#include "sotto/random.h"

struct LastLabel {
  bool label = false;
  bool Predict(sotto::FeatureView) const { return label; }
  void Update(sotto::FeatureView, bool y) { label = y; }
  void Save(sotto::ByteWriter& out) const { out.Number(label); }
  sotto::Status Load(sotto::ByteReader& in) {
    label = in.Number<bool>();
    return sotto::Ok();
  }
};

int main() {
  const auto key = sotto::Key::Generate();
  const auto plan = sotto::PlanPop(
      {.epsilon = 1, .delta = 1e-6, .behaviour = {.rounds = 100000}});
  if (!key || !plan) return 1;
  auto pop = sotto::PrivateOnlineProcedure::Create(
      {.epsilon = 1, .delta = 1e-6, .schedule = plan->schedule},
      sotto::MakeEnsembleFactory(LastLabel()));
  if (!pop) return 1;
  sotto::ChaChaRng rng(*key);
  auto round = pop->Open({}, "u17", rng);
  if (!round) return 1;
  std::printf("%d\n", round->prediction());
  return pop->Close(*std::move(round), true) ? 0 : 1;
}
