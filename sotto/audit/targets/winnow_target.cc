// Winnow with its public hypothesis: OnlineGame in which the published weights
// are shown in every round and the protected user's prediction never.
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/exec/input_fields.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/targets.h"
#include "sotto/models/winnow/private_winnow.h"

namespace sotto {
namespace {

constexpr std::int64_t kBatch = 6;

// One feature and its label; a feature of 0 fills a batch without an effect.
struct Example {
  double x = 0;
  bool y = false;
  friend bool operator==(const Example&, const Example&) = default;
};

// {"x":1,"y":1}, x from -1 to 1.
Status ReadInput(const Json& json, Example& example) {
  InputFields fields(json);
  example.x = fields.Number("x");
  example.y = fields.Label("y").value_or(false);
  if (example.x < -1 || example.x > 1) {
    return InvalidArgument("the move has an x that is not from -1 to 1");
  }
  return fields.Done();
}

// The public view after a round: the first weight, if there is one, in
// millionths, plus the number of releases in thousands of millions.
class WinnowPlayer {
 public:
  explicit WinnowPlayer(PrivateWinnow winnow) : winnow_(std::move(winnow)) {}

  Result<std::int64_t> Step(const Example& example, Rng& rng) {
    const FeatureVector x = {{0, example.x}};
    SOTTO_TRY_ASSIGN(auto round, winnow_.Open(x, rng));
    winnow_.Close(std::move(round), example.y);
    // The first release contains all information about it.
    halted_ = winnow_.batches() > 0;
    if (!halted_) return 0;
    const auto weights = winnow_.hypothesis().weights();
    return weights.empty() ? 0 : std::llround(1e6 * double{weights[0]});
  }
  bool halted() const { return halted_; }

 private:
  PrivateWinnow winnow_;
  bool halted_ = false;
};

// A challenge that pulls the weight up or down, among examples that do nothing.
struct Pull {
  std::uint64_t lead = 0;

  std::optional<Move<Example>> Next(const View& view) const {
    if (view.rounds() == lead) {
      return Challenge(Example{1, true}, Example{1, false});
    }
    return Same(Example{0, true});
  }
};

Result<AuditSubject> WinnowSubject(const AuditRequest& request) {
  SOTTO_TRY_ASSIGN(
      auto made, PrivateWinnow::Create({.epsilon = request.epsilon.value_or(1),
                                        .delta = request.delta.value_or(0.01),
                                        .features = 1,
                                        .margin = 0.5,
                                        .horizon = 1000,
                                        .confidence = 0.5,
                                        .batch = kBatch,
                                        .learning_rate = 0.01}));
  const ApproximateDp claim{made.guarantee().epsilon(),
                            made.guarantee().delta()};
  const auto winnow = std::make_shared<const PrivateWinnow>(std::move(made));
  AuditSubject subject{"winnow", {}};
  subject.cases.push_back(
      {"extremal-pair", "published weights", claim,
       MakeGamePair<Example>(
           game::Online{.rounds = request.rounds == 0 ? 60 : request.rounds},
           [winnow] { return WinnowPlayer(winnow->Restarted()); },
           std::vector<Pull>{{0}, {1}, {3}})});
  return subject;
}

}  // namespace

AuditTarget WinnowTarget() {
  return {"winnow",
          "the published weights of Winnow",
          "OnlineGame",
          {"extremal-pair"},
          WinnowSubject};
}

}  // namespace sotto
