#include "sotto/accounting/account.h"
#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/composition.h"
#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/fft.h"
#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/accounting/privacy_filter.h"
#include "sotto/accounting/privacy_loss.h"
#include "sotto/accounting/privacy_odometer.h"
#include "sotto/accounting/renyi.h"
#include "sotto/accounting/stopped_process.h"
#include "sotto/accounting/stopped_process_exact.h"
#include "sotto/accounting/tight_composition.h"
#include "sotto/mechanisms/above_threshold.h"
#include "sotto/mechanisms/between_thresholds.h"
#include "sotto/mechanisms/challenge_above_threshold.h"
#include "sotto/mechanisms/challenge_between_thresholds.h"
#include "sotto/mechanisms/counter.h"
#include "sotto/mechanisms/exponential_mechanism.h"
#include "sotto/mechanisms/jdp_mirror.h"
#include "sotto/mechanisms/laplace_stopper.h"
#include "sotto/mechanisms/mirror.h"
#include "sotto/mechanisms/mirror_law.h"
#include "sotto/mechanisms/multi_above_threshold.h"
#include "sotto/mechanisms/online_thresholds.h"
#include "sotto/mechanisms/permute_and_flip.h"
#include "sotto/mechanisms/random_step.h"
#include "sotto/mechanisms/reorder_slice_compute.h"
#include "sotto/mechanisms/selection.h"
#include "sotto/mechanisms/soft_mirror.h"
#include "sotto/mechanisms/sparse_counter.h"
#include "sotto/mechanisms/sparse_histogram.h"
#include "sotto/mechanisms/sparse_sample.h"
#include "sotto/mechanisms/sparse_vector.h"
#include "sotto/mechanisms/sparse_vector_query.h"
#include "sotto/mechanisms/square_root_counter.h"
#include "sotto/mechanisms/staircase_mirror.h"
#include "sotto/mechanisms/stopper.h"
#include "sotto/mechanisms/threshold_monitor.h"
#include "sotto/mechanisms/tree_counter.h"
#include "sotto/mechanisms/unknown_horizon_counter.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/random/exact_samplers.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/random/fixed_work_geometric.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"
#include "sotto/random/threshold_table.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/laws/pop_memorizers.h"
#include "sotto/testing/seeded_rng.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <variant>
#include <vector>
namespace sotto {
[[maybe_unused]] static int Snippet0() {
#line 55 "README.md"


// Which of many counts reach 500? Up to 100 reports for (1, 1e-6), whatever the
// number of counts. The form with the least noise is chosen.
auto key = Key::Generate();
auto test = SparseVector::Create(
    {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 100});
if (!key || !test) return 1;
ChaChaRng rng(key->Derive("noise-v1", "example", {}));
const bool above = test->Test(1234, rng) == ThresholdAnswer::kAbove;
const std::string promise = test->guarantee().Describe();

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet1() {
#line 9 "sotto/accounting/account.md"

const AccountQuestion question{.mechanism = AccountMechanism::kAboveThreshold,
                               .reports = 10};
const auto answer = LeastNoiseFor(question, 1.0, 1e-6);
if (!answer || answer->noise_scale > 29) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet2() {
#line 8 "sotto/accounting/binomial_composition.md"

auto epsilon = BinomialEpsilon(0.1, 100, 1e-6);
if (!epsilon || *epsilon > 4.77457) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet3() {
#line 8 "sotto/accounting/composed_loss.md"

auto laplace = PrivacyLoss::Laplace(20);
if (!laplace) return 1;
std::vector<LossTerm> terms = {{*laplace, 100}};
auto epsilon = TightEpsilon(terms, 1e-6);
if (!epsilon || *epsilon > 2.1935) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet4() {
#line 8 "sotto/accounting/composition.md"


const std::vector<ApproximateDp> queries(10, {0.1, 1e-8});
const ApproximateDp together = Compose(queries);
const auto advanced = AdvancedComposition({0.1, 1e-8}, 10, 1e-6);
const std::vector<ApproximateRenyi> curves(10, ToRenyi(ApproximateDp{0.1, 1e-8}));
const Result<double> epsilon = EpsilonFromRenyi(Compose(curves), 1e-6);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet5() {
#line 8 "sotto/accounting/delta_schedule.md"

const auto phases = DeltaSchedule::Phases(1e-6, {10'000, 15'000, 22'500});
const double first = phases->At(1);
const double training = phases->At(0);
const double all = phases->Sum();  // at most 0.75e-6

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet6() {
#line 8 "sotto/accounting/fft.md"

std::vector<std::complex<double>> x = {1, 2, 3, 4};
FourierTransform transform(4);
transform.Forward(x);
transform.Inverse(x);
if (std::abs(x[2] - 12.0) > PointwiseFftError(4) * 100) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet7() {
#line 8 "sotto/accounting/gaussian_analytic.md"

auto epsilon = GaussianEpsilon({.sigma = 1, .compositions = 1}, 1e-6);
auto sigma = GaussianSigma(1.0, 1e-6, 1000);
if (!epsilon || !sigma || *epsilon > 4.8866) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet8() {
#line 8 "sotto/accounting/group_privacy.md"

const ApproximateDp five = GroupOf(ApproximateDp{0.2, 1e-9}, 5);
const auto each = PerRoundTarget(ApproximateDp{1, 1e-6}, 5);  // plan with this
const auto one = Guarantee::Create({.notion = Notion::kChallengeDp,
                                    .epsilon = each->epsilon,
                                    .delta = each->delta,
                                    .protects = "a user's rounds"});
const auto user = UserLevel(*one, 5);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet9() {
#line 8 "sotto/accounting/guarantee.md"

const auto promise = Guarantee::Create({.notion = Notion::kChallengeDp,
                                        .epsilon = 1,
                                        .delta = 1e-6,
                                        .protects = "a user's features and label"});
const std::string sentence = promise->Describe();
const auto relation = ParseRelation("add-remove");

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet10() {
#line 9 "sotto/accounting/pop_accountant.md"

const PopProcess pop{.rate = 0.01, .gap = 100, .targets = 100, .stopper = 0.1};
const auto moments = PopDelta(pop, 1.0);    // 4.4e-6
const auto exact = ExactPopDelta(pop, 1.0); // 8.5e-7
const auto least = ExactPopLeastNoise({.epsilon = 1, .delta = 1e-6, .targets = 87, .gap_in_scales = 1, .stopper = 0.3});
if (!moments || !exact || !least || exact->delta > moments->delta) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet11() {
#line 8 "sotto/accounting/privacy_filter.md"

auto filter = RenyiFilter::ForTarget({1, 1e-6}, {2, 4, 8, 16, 32, 64},
                                     GaussianCurve(50));
int answers = 0;
while (filter->Charge(GaussianCurve(50)).has_value()) ++answers;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet12() {
#line 9 "sotto/accounting/privacy_loss.md"

auto loss = PrivacyLoss::Laplace(5.0);
if (!loss) return 1;
auto grid = loss->OnGrid(0.001, 1e-20);
if (!grid || grid->mass.size() < 400) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet13() {
#line 8 "sotto/accounting/privacy_odometer.md"

auto odometer = RenyiOdometer::Create({.orders = {2, 4, 8, 16, 32}, .delta = 1e-6});
for (int i = 0; i < 100; ++i) {
  if (!odometer->Charge(GaussianCurve(20))) break;
}
const double so_far = odometer->Epsilon();

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet14() {
#line 8 "sotto/accounting/renyi.md"

const RenyiCurve curve = GaussianCurve(20).Repeated(100);
const double delta = DeltaFromRenyi(curve, 2.5);
const Result<double> epsilon = EpsilonFromRenyi(curve, 1e-6);
const Result<double> rho = ConcentratedBudget(1, 1e-6);  // 0.0243...

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet15() {
#line 9 "sotto/accounting/stopped_process.md"

const auto curve = StoppedProcessCurve({.rate = 1 / 32.0, .targets = 10});
if (!curve) return 1;
const double delta = DeltaFromRenyi(*curve, 1.0);  // 1e-6
const auto least = LeastNoise({.epsilon = 1, .delta = 1e-6, .targets = 100, .gap_in_scales = 2.5});
if (!least || !(delta > 0) || !(1 / least->rate < 78.2)) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet16() {
#line 9 "sotto/accounting/stopped_process_exact.md"

const auto exact = ExactStoppedDelta({.rate = 1 / 28.7, .targets = 10}, 1.0);
const auto epsilon = ExactStoppedEpsilon({.rate = 0.02, .targets = 30, .gap = 20}, 1e-6);
const auto least = ExactLeastNoise({.epsilon = 1, .delta = 1e-6, .targets = 10});
if (!exact || !epsilon || !least || exact->delta > 1e-6) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet17() {
#line 9 "sotto/mechanisms/above_threshold.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = AboveThreshold::Create({.epsilon = 1, .threshold = 40});
if (!test) return 1;
std::int64_t count = 0;
while (test->Test(count, rng) == ThresholdAnswer::kBelow) ++count;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet18() {
#line 9 "sotto/mechanisms/between_thresholds.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = BetweenThresholds::Create(
    {.epsilon = 1, .delta = 1e-6, .low = 400, .high = 600, .reports = 100});
if (!test) return 1;
const auto answer = test->Test(510, rng);
const bool close = answer.zone == BetweenThresholds::Zone::kMedium;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet19() {
#line 9 "sotto/mechanisms/challenge_above_threshold.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = ChallengeAboveThreshold::Create(
    {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 50});
if (!test) return 1;
const auto answer = test->Test(480, rng);  // for this user only
const bool everybody_sees = test->halted();

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet20() {
#line 9 "sotto/mechanisms/challenge_between_thresholds.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = ChallengeBetweenThresholds::Create(
    {.epsilon = 1, .delta = 1e-6, .low = 400, .high = 600, .reports = 50});
if (!test) return 1;
const auto answer = test->Test(480, rng);  // for this user only
test->Tick(rng);                           // a user who did not come
const bool everybody_sees = test->halted();

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet21() {
#line 10 "sotto/mechanisms/counter.md"


testing::SeededRng rng(1);
auto counter = Counter::Create(
    {.epsilon = 1, .delta = 1e-6, .horizon = 1'000'000});
auto estimate = counter->Add(3, rng);
const std::string words = counter->Describe();

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet22() {
#line 8 "sotto/mechanisms/exponential_mechanism.md"



auto key = Key::Generate();
auto choose = ExponentialMechanism::Create({.epsilon = 1, .candidates = 3});
if (!key || !choose) return 1;
ChaChaRng rng(*key);
const std::vector<std::int64_t> scores = {3, 17, 12};
auto winner = choose->Select(scores, rng);
if (!winner || *winner > 2) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet23() {
#line 14 "sotto/mechanisms/jdp_mirror.md"



auto mirror = sotto::JdpMirror::Create({.epsilon = 0.65, .delta = 1e-6});
if (!mirror) return 1;
sotto::testing::SeededRng rng(1);  // Reproducible, so not for real data.
bool top = mirror->Next(/*one=*/true, rng);  // false: the first one
(void)top;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet24() {
#line 9 "sotto/mechanisms/laplace_stopper.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto stopper = LaplaceStopper::Create(
    {.epsilon = 1, .delta = 1e-6, .limit = 5000});
if (!stopper) return 1;
const bool halted = stopper->Tick(1, rng);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet25() {
#line 14 "sotto/mechanisms/mirror.md"



auto mirror = sotto::Mirror::Create({.epsilon = 0.5, .delta = 1e-6});
if (!mirror) return 1;
sotto::testing::SeededRng rng(1);  // Reproducible, so not for real data.
bool top = mirror->Next(/*one=*/true, rng);
const double mistakes = mirror->expected_mistakes();  // 137
(void)top;
(void)mistakes;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet26() {
#line 12 "sotto/mechanisms/mirror_law.md"


const auto law = sotto::MirrorLaw::Create(/*first=*/1, {1, 2, 1});
if (!law) return 1;
const double mean = law->Mean();  // 2
(void)mean;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet27() {
#line 9 "sotto/mechanisms/multi_above_threshold.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = MultiAboveThreshold::Create(
    {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 100});
if (!test || 1 / test->rate() > 70) return 1;
ThresholdStream stream(*test, rng);  // noise drawn ahead
const bool alert = stream.Test(1200) == ThresholdAnswer::kAbove;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet28() {
#line 12 "sotto/mechanisms/online_thresholds.md"



testing::SeededRng rng(1);
std::vector<double> heights(20'000);
for (double& height : heights) height = 150 + static_cast<double>(rng.Next() % 5000) / 100;
auto ranks = OnlineThresholds::Create({.epsilon = 1, .delta = 1e-6, .horizon = 1000}, heights, rng);
if (!ranks) return 1;
const auto answer = ranks->Query(175, rng);    // about 10,000
if (!answer || answer->error > 1000) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet29() {
#line 8 "sotto/mechanisms/permute_and_flip.md"



auto key = Key::Generate();
auto choose = PermuteAndFlip::Create({.epsilon = 1, .candidates = 3, .monotone = true});
if (!key || !choose) return 1;
ChaChaRng rng(*key);
const std::vector<std::int64_t> scores = {3, 17, 12};
auto winner = choose->Select(scores, rng);
if (!winner || *winner > 2) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet30() {
#line 13 "sotto/mechanisms/random_step.md"



auto mirror = sotto::RandomStep::Create({.epsilon = 1, .delta = 1e-6});
if (!mirror) return 1;
sotto::testing::SeededRng rng(1);  // Reproducible, so not for real data.
bool top = mirror->Next(/*one=*/true, rng);  // false: the first one
(void)top;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet31() {
#line 8 "sotto/mechanisms/reorder_slice_compute.md"





auto key = Key::Generate();
auto cost = Guarantee::Create({.relation = Relation::kReplace, .epsilon = 0.125,
                               .delta = 1e-12, .protects = "one element"});
auto noise = FixedWorkLaplace::Create(*Rational::Create(1, 8));
if (!key || !cost || !noise) return 1;
ChaChaRng rng(*key);
const SliceFunction large(*cost, [&](std::vector<int> slice, Rng& r) {
  std::int64_t count = noise->Sample(r);
  for (int x : slice) count += x > 900 ? 1 : 0;
  return count;
});
std::vector<int> data;
for (int i = 0; i < 1000; ++i) data.push_back(i);
auto slicer = ReorderSliceCompute<int>::Create(
    {.slice_epsilon = 0.125, .slice_delta = 1e-12,
     .slice_relation = Relation::kReplace, .replace_covers_shorter = true,
     .slices = 50, .failure = 1e-6}, data);
if (!slicer) return 1;
auto count = slicer->Slice(50, std::greater<>(), large, rng);
if (!count) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet32() {
#line 8 "sotto/mechanisms/selection.md"



auto key = Key::Generate();
auto choose = Selection::Create({.epsilon = 1, .candidates = 3});
if (!key || !choose) return 1;
ChaChaRng rng(*key);
const std::vector<std::int64_t> scores = {3, 17, 12};
if (!choose->Select(scores, rng)) return 1;
if (choose->rule() != Selection::Rule::kPermuteAndFlip) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet33() {
#line 11 "sotto/mechanisms/soft_mirror.md"



auto mirror = sotto::SoftMirror::Create({.epsilon = 2, .delta = 1e-6});
if (!mirror) return 1;
sotto::testing::SeededRng rng(1);  // Reproducible, so not for real data.
bool top = mirror->Next(/*one=*/true, rng);  // false: the first one
(void)top;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet34() {
#line 10 "sotto/mechanisms/sparse_counter.md"


testing::SeededRng rng(1);
auto counter = SparseCounter::Create(
    {.epsilon = 1, .horizon = 1'000'000, .expected_events = 1000});
auto estimate = counter->Add(1, rng);
const double error = counter->ErrorBound();  // 89
static_cast<void>(error);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet35() {
#line 8 "sotto/mechanisms/sparse_histogram.md"



auto key = Key::Generate();
auto histogram = SparseHistogram::Create({.epsilon = 1, .delta = 1e-6});
if (!key || !histogram) return 1;
ChaChaRng rng(*key);
const std::vector<std::uint64_t> items(200, 42);
const auto bins = histogram->Release(items, rng);
if (bins.size() != 1 || bins[0].item != 42) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet36() {
#line 8 "sotto/mechanisms/sparse_sample.md"



auto key = Key::Generate();
auto sample = SparseSample::Create(
    {.epsilon = 1, .delta = 1e-6, .list_size = 2, .max_lists = 100});
if (!key || !sample) return 1;
ChaChaRng rng(*key);
const std::vector<std::vector<std::uint64_t>> lists(80, {7, 9});
auto item = sample->Sample(lists, rng);
if (!item) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet37() {
#line 10 "sotto/mechanisms/sparse_vector.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto test = SparseVector::Create(
    {.epsilon = 1, .delta = 1e-6, .threshold = 500, .reports = 100});
if (!test) return 1;
for (const std::int64_t count : {3, 40, 1500}) {
  if (test->Test(count, rng) == ThresholdAnswer::kAbove) std::puts("alert");
}

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet38() {
#line 34 "sotto/mechanisms/sparse_vector.md"

auto query = RealQuery::Create({.sensitivity = *ParseRational("0.25")});
if (!query || query->Floor(0.8) != 3) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet39() {
#line 12 "sotto/mechanisms/square_root_counter.md"


testing::SeededRng rng(1);
auto counter = SquareRootCounter::Create(
    {.epsilon = 1, .delta = 1e-6, .horizon = 1'000'000});
auto estimate = counter->Add(3, rng);
const double error = counter->ErrorBound();  // 124
static_cast<void>(error);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet40() {
#line 17 "sotto/mechanisms/staircase_mirror.md"



auto mirror = sotto::StaircaseMirror::Create({.epsilon = 0.5, .delta = 1e-6});
if (!mirror) return 1;
sotto::testing::SeededRng rng(1);  // Reproducible, so not for real data.
bool top = mirror->Next(/*one=*/true, rng);  // false: the first one
(void)top;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet41() {
#line 9 "sotto/mechanisms/stopper.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
auto stopper = Stopper::Create({.epsilon = 0.1, .limit = 500});
if (!stopper) return 1;
for (int round = 0; round < 100; ++round) {
  if (stopper->Tick(round % 2 == 0 ? 1 : 0, rng)) break;
}

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet42() {
#line 10 "sotto/mechanisms/threshold_monitor.md"


testing::SeededRng rng(1);
auto monitor = ThresholdMonitor::Create(
    {.epsilon = 1, .threshold = 100, .horizon = 1'000'000});
auto answer = monitor->Add(3, rng);
const std::int64_t slack = monitor->EarlySlack();  // 20
static_cast<void>(slack);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet43() {
#line 10 "sotto/mechanisms/tree_counter.md"


testing::SeededRng rng(1);
auto counter = TreeCounter::Create({.epsilon = 1, .horizon = 1'000'000});
auto estimate = counter->Add(3, rng);
const double error = counter->ErrorBound();  // 290, at all steps together
static_cast<void>(error);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet44() {
#line 10 "sotto/mechanisms/unknown_horizon_counter.md"


testing::SeededRng rng(1);
auto counter = UnknownHorizonCounter::Create({.epsilon = 1});
auto estimate = counter->Add(3, rng);
auto error = counter->ErrorBound(1'000'000);  // 356

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet45() {
#line 8 "sotto/random/chacha_rng.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
std::array<std::uint64_t, 100> words;
rng.Fill(words);
ChaChaRng again(*key);
for (std::uint64_t word : words) {
  if (again.Next() != word) return 1;
}

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet46() {
#line 9 "sotto/random/exact_samplers.md"


auto key = Key::Generate();
auto variance = ParseRational("6.25");
if (!key || !variance) return 1;
auto noise = ExactGaussian::Create(*variance);
if (!noise) return 1;
ChaChaRng rng(*key);
std::int64_t z = noise->Sample(rng);
if (UniformBelow(6, rng) > 5) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet47() {
#line 9 "sotto/random/exponential_selection.md"



auto key = Key::Generate();
auto rate = ParseRational("0.125");
if (!key || !rate) return 1;
auto choose = ExponentialSelection::Create(*rate);
if (!choose) return 1;
ChaChaRng rng(*key);
std::vector<std::int64_t> scores = {3, 17, 12};
if (choose->Select(scores, rng) > 2) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet48() {
#line 10 "sotto/random/fixed_work_gaussian.md"


testing::SeededRng rng(1);
auto variance = Rational::Create(100'000'000, 1);
auto noise = FixedWorkGaussian::Create(*variance);
std::int64_t z = noise->Sample(rng);
static_cast<void>(z);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet49() {
#line 8 "sotto/random/fixed_work_geometric.md"


auto key = Key::Generate();
auto rate = ParseRational("0.05");
if (!key || !rate) return 1;
auto noise = FixedWorkGeometric::Create(*rate);
if (!noise) return 1;
ChaChaRng rng(*key);
if (noise->Sample(rng) < 0) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet50() {
#line 9 "sotto/random/fixed_work_laplace.md"



auto key = Key::Generate();
auto scale = ParseRational("19.4");
if (!key || !scale) return 1;
auto noise = FixedWorkLaplace::Create(scale->Reciprocal());
if (!noise) return 1;
ChaChaRng rng(*key);
std::vector<std::int64_t> draws(1000);
noise->Fill(rng, draws);

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet51() {
#line 8 "sotto/random/history_rng.md"

auto key = Key::Generate();
if (!key) return 1;
HistoryRng first(*key);
HistoryRng second(*key);  // the same state, loaded twice
first.Absorb(3);
second.Absorb(3);
if (first.Next() != second.Next()) return 1;  // same data, same noise
first.Absorb(3);
second.Absorb(4);
if (first.Next() == second.Next()) return 1;  // other data, other noise

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet52() {
#line 8 "sotto/random/key.md"


auto root = Key::Generate();
if (!root) return 1;
std::uint64_t round = 17;
Key votes = root->Derive("noise-v1", "votes", {"model-a", round});
Key stopper = root->Derive("noise-v1", "stopper", {"model-a", round});
if (std::ranges::equal(votes.bytes(), stopper.bytes())) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet53() {
#line 9 "sotto/random/threshold_table.md"


auto key = Key::Generate();
if (!key) return 1;
ChaChaRng rng(*key);
const Uint128 quarter = Uint128{1} << 126;
ThresholdTable law({quarter, 3 * quarter});  // 0, 1, 2 with 1/4, 1/2, 1/4
if (law.Draw(rng) > 2) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet54() {
#line 19 "sotto/testing/exact_game.md"





struct PermanentResponse {
  using Number = ExactNumber;
  using State = bool;              // The noisy bit: hidden.
  using Context = std::monostate;  // Nothing to keep track of in public.
  using Observation = bool;
  using Move = std::monostate;     // "Show it."

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World world) const {
    const Number right = Number(3) / 4;  // The true bit is 1 in world P.
    return {{world == World::kP ? right : 1 - right, true},
            {world == World::kP ? 1 - right : right, false}};
  }
  std::vector<Move> Moves(const Context&) const { return {{}}; }
  std::vector<Outcome<Number, Observation, State>> Step(
      World, const Context&, const State& bit, const Move&) const {
    return {{Number(1), bit, bit}};
  }
  Context Next(const Context&, const Move&, const Observation&) const {
    return {};
  }
};

ExactGame game(PermanentResponse{}, /*horizon=*/10);
if (*game.Delta(ExactNumber(2)) != ExactNumber(1) / 4) return 1;
if (**game.MaxRatio(Direction::kPOverQ) != 3) return 1;

#line 1 "generated"
return 0;
}
}

namespace sotto {
[[maybe_unused]] static int Snippet55() {
#line 56 "sotto/testing/exact_game.md"




PopMemorizers<double> pop{.theta = std::exp(-0.5), .low = 0, .high = 2,
                          .stopper_theta = std::exp(-1.0), .copies = 2};
ExactGame game(ChallengeLaw{pop}, /*horizon=*/2);
auto delta = game.Delta(std::exp(0.5));
if (!delta || *delta > 0.5) return 1;

#line 1 "generated"
return 0;
}
}
int main() {
  int failed = 0;
  if (sotto::Snippet0() != 0) { std::fprintf(stderr, "README.md:55: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet1() != 0) { std::fprintf(stderr, "sotto/accounting/account.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet2() != 0) { std::fprintf(stderr, "sotto/accounting/binomial_composition.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet3() != 0) { std::fprintf(stderr, "sotto/accounting/composed_loss.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet4() != 0) { std::fprintf(stderr, "sotto/accounting/composition.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet5() != 0) { std::fprintf(stderr, "sotto/accounting/delta_schedule.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet6() != 0) { std::fprintf(stderr, "sotto/accounting/fft.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet7() != 0) { std::fprintf(stderr, "sotto/accounting/gaussian_analytic.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet8() != 0) { std::fprintf(stderr, "sotto/accounting/group_privacy.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet9() != 0) { std::fprintf(stderr, "sotto/accounting/guarantee.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet10() != 0) { std::fprintf(stderr, "sotto/accounting/pop_accountant.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet11() != 0) { std::fprintf(stderr, "sotto/accounting/privacy_filter.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet12() != 0) { std::fprintf(stderr, "sotto/accounting/privacy_loss.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet13() != 0) { std::fprintf(stderr, "sotto/accounting/privacy_odometer.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet14() != 0) { std::fprintf(stderr, "sotto/accounting/renyi.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet15() != 0) { std::fprintf(stderr, "sotto/accounting/stopped_process.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet16() != 0) { std::fprintf(stderr, "sotto/accounting/stopped_process_exact.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet17() != 0) { std::fprintf(stderr, "sotto/mechanisms/above_threshold.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet18() != 0) { std::fprintf(stderr, "sotto/mechanisms/between_thresholds.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet19() != 0) { std::fprintf(stderr, "sotto/mechanisms/challenge_above_threshold.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet20() != 0) { std::fprintf(stderr, "sotto/mechanisms/challenge_between_thresholds.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet21() != 0) { std::fprintf(stderr, "sotto/mechanisms/counter.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet22() != 0) { std::fprintf(stderr, "sotto/mechanisms/exponential_mechanism.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet23() != 0) { std::fprintf(stderr, "sotto/mechanisms/jdp_mirror.md:14: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet24() != 0) { std::fprintf(stderr, "sotto/mechanisms/laplace_stopper.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet25() != 0) { std::fprintf(stderr, "sotto/mechanisms/mirror.md:14: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet26() != 0) { std::fprintf(stderr, "sotto/mechanisms/mirror_law.md:12: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet27() != 0) { std::fprintf(stderr, "sotto/mechanisms/multi_above_threshold.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet28() != 0) { std::fprintf(stderr, "sotto/mechanisms/online_thresholds.md:12: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet29() != 0) { std::fprintf(stderr, "sotto/mechanisms/permute_and_flip.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet30() != 0) { std::fprintf(stderr, "sotto/mechanisms/random_step.md:13: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet31() != 0) { std::fprintf(stderr, "sotto/mechanisms/reorder_slice_compute.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet32() != 0) { std::fprintf(stderr, "sotto/mechanisms/selection.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet33() != 0) { std::fprintf(stderr, "sotto/mechanisms/soft_mirror.md:11: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet34() != 0) { std::fprintf(stderr, "sotto/mechanisms/sparse_counter.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet35() != 0) { std::fprintf(stderr, "sotto/mechanisms/sparse_histogram.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet36() != 0) { std::fprintf(stderr, "sotto/mechanisms/sparse_sample.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet37() != 0) { std::fprintf(stderr, "sotto/mechanisms/sparse_vector.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet38() != 0) { std::fprintf(stderr, "sotto/mechanisms/sparse_vector.md:34: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet39() != 0) { std::fprintf(stderr, "sotto/mechanisms/square_root_counter.md:12: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet40() != 0) { std::fprintf(stderr, "sotto/mechanisms/staircase_mirror.md:17: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet41() != 0) { std::fprintf(stderr, "sotto/mechanisms/stopper.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet42() != 0) { std::fprintf(stderr, "sotto/mechanisms/threshold_monitor.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet43() != 0) { std::fprintf(stderr, "sotto/mechanisms/tree_counter.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet44() != 0) { std::fprintf(stderr, "sotto/mechanisms/unknown_horizon_counter.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet45() != 0) { std::fprintf(stderr, "sotto/random/chacha_rng.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet46() != 0) { std::fprintf(stderr, "sotto/random/exact_samplers.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet47() != 0) { std::fprintf(stderr, "sotto/random/exponential_selection.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet48() != 0) { std::fprintf(stderr, "sotto/random/fixed_work_gaussian.md:10: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet49() != 0) { std::fprintf(stderr, "sotto/random/fixed_work_geometric.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet50() != 0) { std::fprintf(stderr, "sotto/random/fixed_work_laplace.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet51() != 0) { std::fprintf(stderr, "sotto/random/history_rng.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet52() != 0) { std::fprintf(stderr, "sotto/random/key.md:8: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet53() != 0) { std::fprintf(stderr, "sotto/random/threshold_table.md:9: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet54() != 0) { std::fprintf(stderr, "sotto/testing/exact_game.md:19: the snippet returned an error\n"); failed = 1; }
  if (sotto::Snippet55() != 0) { std::fprintf(stderr, "sotto/testing/exact_game.md:56: the snippet returned an error\n"); failed = 1; }
  return failed;
}
