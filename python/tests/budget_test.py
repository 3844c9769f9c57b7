"""Budgets: the records of `sotto budget`, from Python."""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import sotto

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else None


class Budgets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "readers.budget"
        self.budget = sotto.Budget.create(self.path, people="readers", epsilon=3, delta=1e-5)

    def test_a_model_and_a_mechanism_pay_their_guarantee(self):
        model = sotto.TideClassifier(epsilon=1, delta=1e-6, horizon=1000)
        self.budget.spend(model, note="first")
        counter = sotto.Counter(0.5, horizon=100)
        self.budget.spend(counter)
        first, second = self.budget.entries
        self.assertEqual((first["epsilon"], first["delta"]), (model.guarantee.epsilon, model.guarantee.delta))
        self.assertEqual(first["note"], "first")
        self.assertEqual(second["epsilon"], counter.guarantee.epsilon)
        self.assertEqual(second["delta"], counter.guarantee.delta)
        self.assertAlmostEqual(self.budget.left().epsilon, 1.5)
        self.assertIn("readers", repr(self.budget))

    def test_the_limit_is_kept_and_a_refusal_charges_nothing(self):
        self.budget.spend(epsilon=2, delta=1e-6)
        with self.assertRaises(sotto.BudgetExhausted):
            self.budget.spend(epsilon=1.5)
        self.assertEqual(self.budget.spent(), (2, 1e-6))
        self.assertEqual(self.budget.limit, (3, 1e-5))

    def test_groups(self):
        self.budget.spend(epsilon=2, group="north")
        self.budget.spend(epsilon=2, group="south")
        self.assertEqual(self.budget.spent("north").epsilon, 2)
        self.assertEqual(self.budget.spent().epsilon, 0)
        with self.assertRaises(sotto.BudgetExhausted):
            self.budget.spend(epsilon=2)

    def test_seeds_and_rubbish_are_refused(self):
        with self.assertRaises(sotto.InvalidArgument):
            self.budget.spend(sotto.Counter(1, horizon=10, seed=1))
        with self.assertRaises(sotto.InvalidArgument):
            self.budget.spend()
        with self.assertRaises(sotto.InvalidArgument):
            self.budget.spend({"epsilon": 1})
        with self.assertRaises(sotto.InvalidArgument):
            self.budget.spend(3)
        with self.assertRaises(sotto.SottoError):
            sotto.Budget.create(self.path, epsilon=3, delta=1e-5)
        with self.assertRaises(sotto.SottoError):
            sotto.Budget(self.path.with_name("none"))
        self.assertEqual(self.budget.entries, [])

    def test_threads_and_the_program_share_the_record(self):
        def spend():
            for _ in range(5):
                self.budget.spend(epsilon=0.125)

        threads = [threading.Thread(target=spend) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.budget.spent().epsilon, 2.5)
        shown = subprocess.run([PROGRAM, "budget", "export", str(self.path)], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(shown.stdout), self.budget.report())


if __name__ == "__main__":
    unittest.main()
