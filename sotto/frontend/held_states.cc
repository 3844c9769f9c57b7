#include "sotto/frontend/held_states.h"

#include <utility>

#include "sotto/base/number_text.h"

namespace sotto {
namespace {

// Whatever keeps a state from being used is wrong usage: nothing has started.
Result<std::shared_ptr<HeldState>> Shared(Result<HeldState> held) {
  if (!held) return InvalidArgument(held.error().message);
  return std::make_shared<HeldState>(*std::move(held));
}

}  // namespace

Result<HeldStates> HoldStates(const Settings& settings) {
  HeldStates states;
  if (settings.Has("load")) {
    SOTTO_TRY_ASSIGN(states.loaded,
                     Shared(HeldState::Load(settings.Text("load"))));
  }
  const std::string& save = settings.Text("save");
  if (save.empty()) return states;
  if (states.loaded) {
    SOTTO_TRY_ASSIGN(const bool same, states.loaded->IsAt(save));
    if (same) {
      states.saved = states.loaded;
      return states;
    }
  }
  SOTTO_TRY_ASSIGN(states.saved,
                   Shared(HeldState::Create(save, settings.Flag("replace"))));
  return states;
}

std::string UncleanEndWarning(const std::string& path, const InUseMark& mark) {
  if (mark.given && mark.every == 1) return "";
  const std::string answers =
      mark.given ? WithCommas(*mark.given) +
                       (*mark.given == 1 ? " answer" : " answers")
                 : "an unknown number of answers";
  return "warning: the last run of " + path +
         " did not end properly: " + answers +
         " may be out that the state does not cover (more if the machine lost "
         "power). Continue with the same rows, and the same answers are given "
         "again; other rows in their place spend the guarantee again";
}

}  // namespace sotto
