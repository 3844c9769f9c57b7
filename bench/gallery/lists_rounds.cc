// EMCover: epsilon of a whole decision list, by its number of rounds.
#include <cmath>
#include <cstdint>

#include "bench/gallery/figures.h"
#include "sotto/accounting/composition.h"
#include "sotto/models/fits/greedy_cover/cover_delta.h"
#include "sotto/models/fits/greedy_cover/cover_game.h"

namespace sotto::gallery {
namespace {

constexpr double kWeight = 0.05;  // nats for one wrongly covered row
constexpr double kDelta = 1e-6;

template <typename Delta>
double LeastEpsilon(const Delta& delta) {
  double low = 0;
  double high = 20;
  for (int i = 0; i < 18; ++i) {
    const double middle = (low + high) / 2;
    (delta(middle) <= kDelta ? high : low) = middle;
  }
  return high;
}

double Game(std::uint32_t rounds) {
  return LeastEpsilon([&](double epsilon) {
    const auto delta =
        CoverGameDelta({.unit = kWeight, .rounds = rounds}, epsilon);
    return delta ? *delta : 1.0;
  });
}

Figure Make(bool small) {
  Figure figure{"Epsilon of a decision list of M rules, delta 1e-6", "rounds M",
                "epsilon"};
  // Lemma 18 with the weight that the mechanism has, half of its epsilon.
  const double printed = 4 * kWeight * (std::log(1 / kDelta) + 1.5);
  const double formula = LeastEpsilon([](double epsilon) {
    return CoverDelta({.penalty = kWeight}, Relation::kReplace, epsilon);
  });
  FigureCurve advanced{.name = "advanced composition", .dashed = true};
  FigureCurve lemma{"printed Lemma 18"};
  FigureCurve any{"ours, any number of rounds"};
  FigureCurve game{"exact game of M rounds"};
  for (double x = 0; x <= 3.001; x += small ? 1 : 0.25) {
    const auto rounds =
        static_cast<std::uint32_t>(std::lround(std::pow(10, x)));
    const auto at = static_cast<double>(rounds);
    const auto all = AdvancedComposition({2 * kWeight, 0}, rounds, kDelta);
    if (all) advanced.points.push_back(Exact(at, all->epsilon));
    lemma.points.push_back(Exact(at, printed));
    any.points.push_back(Exact(at, formula));
    if (rounds <= (small ? 10 : 100)) {
      game.points.push_back(Exact(at, Game(rounds)));
    }
  }
  figure.curves = {advanced, lemma, any, game};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const double ours = At(Curve(figure, "ours, any number of rounds"), 1);
  const double printed = At(Curve(figure, "printed Lemma 18"), 1);
  Expect(printed > 3 * ours, "the printed weight is far too small", failures);
  Expect(At(Curve(figure, "advanced composition"), 1000) > 5 * ours,
         "composition pays for the rounds", failures);
  for (const FigurePoint& point :
       Curve(figure, "exact game of M rounds").points) {
    Expect(point.y <= ours * 1.02, "the game is never above the formula",
           failures);
  }
  return failures;
}

}  // namespace

GalleryEntry ListsRounds() {
  return {
      "lists-rounds",
      "[Winnow] Algorithm 4, Lemma 18",
      "A private decision list is learned rule by rule: each round draws a "
      "rule "
      "with a probability that falls by e^-0.05 with every row it would get "
      "wrong, and the rows that it covers leave. A row leaves with the first "
      "rule that covers it, so it should not pay for the rounds after that, "
      "and "
      "Lemma 18 proves it with a constant. The exact cost, for M rounds and "
      "for "
      "any number.",
      Make,
      "There is no price for rounds; the printed constant asks for several "
      "times the epsilon that is really spent.",
      Check};
}

}  // namespace sotto::gallery
