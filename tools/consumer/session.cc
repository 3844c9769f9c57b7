// A model of the registry that learns from labels that come later, is saved and
// is loaded again.
#include "sotto/session.h"

#include <cstdio>

int main() {
  using namespace sotto;
  const OnlineModelEntry& tide = *FindOnlineModel("tide");
  Settings settings(Session::Options(tide));
  const auto key = Key::Generate();
  if (!settings.Set("epsilon", "1") || !settings.Set("delta", "1e-6") || !key) {
    return 1;
  }
  const InputSpec inputs{.features = 2, .dense = 2};
  auto session = Session::Create(tide, settings, inputs, *key);
  if (!session) return std::puts(session.error().message.c_str()), 1;
  Round round{.x = {{0, 0.5}, {1, 0.25}}, .user = "u17"};
  const auto ticket = (*session)->Open(round);
  if (!ticket || !*ticket) return 1;
  ByteWriter state;
  if (!(*session)->Save(state)) return 1;
  auto resumed = Session::Load(tide, settings, inputs, state.bytes());
  if (!resumed || !(*resumed)->Close(**ticket, Label(true))) return 1;
  std::printf("%d; %s\n", round.prediction->positive(),
              (*resumed)->guarantee().Describe().c_str());
}
