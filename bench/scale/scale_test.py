#!/usr/bin/env python3
"""The simulation against formulas and measurements, and the fast tables of docs/scale.md: scale_test.py"""
import pathlib
import subprocess
import sys
import unittest

import numpy as np

import closed_forms
import page
import plan
from rates import DATABASE_COMMIT, Curve
from simulation import after_outage, commit_all, fifo, simulate

HERE = pathlib.Path(__file__).resolve().parent


class FormulaTest(unittest.TestCase):
    def test_simulations_agree_with_formulas(self):
        # Seeds are fixed: the tolerance is several deviations of these runs.
        for name, at, want, got in page.forms_table(60_000):
            self.assertAlmostEqual(got / want, 1, delta=0.05, msg=f"{name} {at}")

    def test_a_queue_of_two_cores_is_played_by_hand(self):
        done = fifo(np.array([0.0, 0.0, 0.0, 5.0]), 2.0, 2)
        self.assertEqual(done.tolist(), [2.0, 2.0, 4.0, 7.0])

    def test_commits_of_one_model_follow_each_other(self):
        # 0: alone, until 4. 1 and 2: until 8. 9: until 13.
        cluster = page.alone(1, lambda _: 4.0)
        replies, sizes, _, _ = commit_all(cluster, [np.array([0.0, 1.0, 2.0, 9.0])])
        self.assertEqual((replies[0].tolist(), sizes), ([4.0, 8.0, 8.0, 13.0], [1, 2, 1]))

    def test_a_writer_computes_while_its_commit_is_under_way(self):
        cluster = page.alone(1, lambda _: 4.0)
        for cpu, wanted in ((3.0, 4.0), (5.0, 5.0)):
            cluster.writer_cpu = cpu
            self.assertEqual(commit_all(cluster, [np.array([0.0])])[0][0].tolist(), [wanted])

    def test_a_request_that_meets_no_other_takes_front_way_commit_and_way(self):
        cluster = page.alone(0.01, lambda _: 4e-3, front_cpu=1e-3, hop=10e-3)
        for latency in simulate(cluster, 1000).latency:
            self.assertAlmostEqual(latency, 1e-3 + 10e-3 + 4e-3 + 10e-3)

    def test_a_commit_that_an_outage_meets_begins_after_it(self):
        self.assertEqual(after_outage(1.0, 2.0, (1.5, 9.0)), 9.0)
        self.assertEqual(after_outage(1.0, 2.0, (2.0, 9.0)), 1.0)
        self.assertEqual(after_outage(9.0, 10.0, (2.0, 9.0)), 9.0)
        self.assertEqual(after_outage(1.0, 2.0, None), 1.0)

    def test_a_curve_goes_through_its_points(self):
        curve = Curve([(1, 1.0), (3, 2.0), (5, 8.0)], "", "")
        self.assertEqual([curve(x) for x in (1, 2, 3, 4, 5, 6)], [1, 1.5, 2, 5, 8, 11])


class MeasuredTest(unittest.TestCase):
    def test_one_machine_is_simulated_within_what_the_page_says(self):
        for model, clients, got, want in page.measured_rows(8000):
            self.assertLess(abs(np.log(got[0] / want[0])), np.log(1.25 if clients == 256 else 1.5), (model, clients))
            self.assertLess(abs(np.log(got[1] / want[1])), np.log(1.7), (model, clients))


class PlanTest(unittest.TestCase):
    def test_arithmetic_and_simulation_agree_on_commits(self):
        shares = np.full(50, 1 / 50)
        run = simulate(page.served(5000, shares), 4)
        self.assertAlmostEqual(run.commits / plan.need(5000, shares).commits, 1, delta=0.05)
        self.assertAlmostEqual(run.loads["fronts"] * 3 * 2, 5000 * 35.5e-6, delta=0.01)

    def test_an_outage_delays_its_share(self):
        for name, length, want, got, _ in page.failure_rows():
            self.assertAlmostEqual(got, want, delta=0.01, msg=name)

    def test_hot_models_are_split_until_a_thread_keeps_up(self):
        shares, lineages = plan.split(np.array([0.91, 0.09]), 1e6)
        self.assertEqual((lineages, len(shares)), (19, 21))
        self.assertAlmostEqual(shares.sum(), 1)
        self.assertLessEqual(shares.max() * 1e6 * 12e-6, 0.6)

    def test_a_ledger_is_read_within_the_limit(self):
        self.assertEqual([plan.ledger(users).shards for users in (1, 1e6, 1e9)], [1, 1, 11])

    def test_a_model_alone_reaches_the_measured_rates(self):
        for records, per_second in ((16, 3264), (256, 28500), (1024, 78000)):
            self.assertAlmostEqual(records / DATABASE_COMMIT(records), per_second, delta=1e-6 * per_second)
        self.assertAlmostEqual(closed_forms.batch_size(1000, 0.004), 4.018, delta=1e-3)


class PageTest(unittest.TestCase):
    def test_the_page_has_the_tables_of_the_script(self):
        done = subprocess.run([sys.executable, HERE / "page.py", "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_figures_are_drawn_again_alike(self):
        self.assertEqual(page.draw_cores(), (page.DOCS / "figures/scale-cores.svg").read_text())


if __name__ == "__main__":
    unittest.main()
