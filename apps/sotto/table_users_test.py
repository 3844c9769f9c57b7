#!/usr/bin/env python3
"""Users of tables: the first rows of a name count, later ones are empty places. table_users_test.py SOTTO"""
import json
import random

from program import FolderTest, main, read, run

FITS = {
    "threshold": ([], []),
    "stump": ([], []),
    "list": (["--delta", "1e-6"], []),
    "greedy-cover": (["--delta", "1e-6", "--rules", "3"], ["--label", "y"]),
    "finite": ([], ["--class", "thresholds:4"]),
    "littlestone-erm": (["--delta", "1e-6"], ["--class", "thresholds:4"]),
}
HEADER = "x,user,y"


def other_rows(count=60):
    """Rows of users with one row each."""
    draw = random.Random(4)
    return [f"{x},v{i},{int(x >= 2)}" for i, x in enumerate(draw.randrange(4) for _ in range(count))]


def rows_of(user, count, bad_first=False):
    """Rows that all say the opposite of the others."""
    return [f"{'bad' if bad_first and i == 0 else 0},{user},1" for i in range(count)]


class TableTest(FolderTest):
    def write(self, name, lines, header=HEADER):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([header, *lines]) + "\n")
        return path

    def fit(self, model, lines, *more, header=HEADER, code=0):
        """The bytes of the model, and the report."""
        privacy, flags = FITS[model]
        done = run("fit", model, "--epsilon", "1", *privacy, *flags, "--seed", "3", "-d", self.write("t.csv", lines, header),
                   "-o", self.path("m.json"), "--json", *more)
        self.assertEqual(done.returncode, code, done.stderr)
        return read(self.path("m.json")), json.loads(done.stdout)


class FitTest(TableTest):
    def test_later_rows_of_a_user_are_empty_places(self):
        for model in FITS:
            for limit in (1, 3):
                own, more = rows_of("u", 200), ("--rounds-per-user", str(limit))
                with self.subTest(model=model, limit=limit):
                    all_rows, report = self.fit(model, other_rows() + own, *more)
                    blanked, _ = self.fit(model, other_rows() + own[:limit] + [""] * (200 - limit), *more)
                    self.assertEqual(all_rows, blanked)
                    self.assertEqual(report["refused"], 200 - limit)
                    self.assertEqual(report["rows"], 260)
                    self.assertEqual(report["guarantee"]["rounds_per_user"], limit)

    def test_a_bad_row_uses_up_a_place_of_its_user(self):
        for model in FITS:
            if model == "greedy-cover":  # without a schema no value is bad
                continue
            with self.subTest(model=model):
                found, report = self.fit(model, other_rows() + rows_of("u", 50, bad_first=True))
                blanked, _ = self.fit(model, other_rows() + [""] * 50)
                self.assertEqual(found, blanked)
                self.assertEqual((report["skipped"], report["refused"]), (1, 49))
        # The name can be read even if the rest of the row cannot.
        for bad in ("0,u", "0,u,1,1", '"0,u,1', "0,u,7"):
            for model in ("threshold", "greedy-cover"):
                own = [line.replace("u", f"u{i}") for i in range(200) for line in (bad, "0,u,1")]
                found, report = self.fit(model, other_rows() + own)
                blanked, _ = self.fit(model, other_rows() + [""] * 400)
                self.assertEqual(found, blanked, bad)
                self.assertEqual((report["skipped"], report["refused"]), (200, 200), bad)

    def test_the_user_column_is_no_feature(self):
        for model in FITS:
            with self.subTest(model=model):
                named, _ = self.fit(model, other_rows())
                alone = [",".join(line.split(",")[::2]) for line in other_rows()]
                unnamed, report = self.fit(model, alone, header="x,y")
                self.assertEqual(named, unnamed)
                self.assertEqual((report["unnamed"], report["refused"]), (60, 0))

    def test_another_column_may_hold_the_users(self):
        for model in FITS:
            with self.subTest(model=model):
                found, report = self.fit(model, other_rows() + rows_of("u", 9), "--user", "who", header="x,who,y")
                usual, _ = self.fit(model, other_rows() + rows_of("u", 9))
                self.assertEqual(found, usual)
                self.assertEqual(report["refused"], 8)
        done = run("fit", "threshold", "--epsilon", "1", "--user", "whom", "-d", self.path("t.csv"), "-o", self.path("n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("'whom'", done.stderr)

    def test_the_report_says_who_is_a_user(self):
        lines = other_rows() + ["1,,0", "2,,1"] + rows_of("u", 3)
        done = run("fit", "threshold", "--epsilon", "1", "-d", self.write("t.csv", lines), "-o", self.path("m"))
        self.assertIn("2 rows without a user name: each counts as a user of its own", done.stderr)
        self.assertIn("2 rows beyond the first 1 of their user", done.stderr)

    def test_under_add_remove_nothing_counts_rows(self):
        for model in ("threshold", "greedy-cover"):
            rows = [line.replace(f"v{i}", "") for i, line in enumerate(other_rows())]
            _, report = self.fit(model, rows, "--relation", "add-remove")
            self.assertNotIn(60, report.values())


class BadRowTest(TableTest):
    BAD = other_rows() + ["bad,w,1", "1,w2", "1,w3,7"] + other_rows(3)

    def test_is_an_empty_place_by_default(self):
        for model in ("threshold", "greedy-cover"):
            found, report = self.fit(model, self.BAD)
            skipped, _ = self.fit(model, self.BAD, "--skip-bad")
            self.assertEqual(found, skipped)
            self.assertEqual(report["skipped"], 3 if model == "threshold" else 2)
            self.assertEqual(len(report["bad_rows"]), report["skipped"])
            self.assertIn("line 63", report["bad_rows"][-2])
            self.assertLessEqual({"skipped", "bad_rows", "refused", "unnamed"}, set(report["not_covered"]))
        _, report = self.fit("threshold", ["bad,,1"] * 90)
        self.assertEqual((report["skipped"], len(report["bad_rows"])), (90, 5))

    def test_strict_checks_and_writes_nothing(self):
        for model in FITS:
            privacy, flags = FITS[model]
            words = ["fit", model, "--epsilon", "1", *privacy, *flags, "--strict", "-d", self.path("t.csv")]
            self.write("t.csv", other_rows())
            for out in ([], ["-o", self.path("m.json")]):
                done = run(*words, *out)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assertEqual(self.files(), ["t.csv"])
            self.write("t.csv", self.BAD)
            done = run(*words, "-o", self.path("m.json"))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("line 63", done.stderr)
            self.assertIn("bad rows", done.stderr)
            self.assertEqual(self.files(), ["t.csv"])

    def test_what_is_public_is_an_error_in_every_mode(self):
        self.write("t.csv", other_rows(), header="x,x,y")
        for more in ([], ["--skip-bad"], ["--strict"]):
            done = run("fit", "threshold", "--epsilon", "1", "-d", self.path("t.csv"), "-o", self.path("m"), *more)
            self.assertEqual(done.returncode, 2)
        self.write("t.csv", other_rows())
        done = run("fit", "threshold", "--epsilon", "1", "-d", self.path("t.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--out", done.stderr)
        self.assertEqual(self.files(), ["t.csv"])


class RangesTest(TableTest):
    def ranges(self, lines, *more, header=HEADER):
        done = run("schema", "--private-ranges", self.write("t.csv", lines, header), "--epsilon", "1", "--seed", "3", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def others(self):
        return [f"{10 + i % 90},v{i},{i % 2}" for i in range(3000)]

    def test_one_user_cannot_move_a_range(self):
        own = [f"{1e6},u,1"] * 300
        for limit in ("1", "3"):
            schema, said = self.ranges(self.others() + own, "--rounds-per-user", limit)
            blanked, _ = self.ranges(self.others() + own[:int(limit)] + [""] * (300 - int(limit)), "--rounds-per-user", limit)
            self.assertEqual(schema, blanked)
            self.assertEqual([column["name"] for column in schema["columns"]], ["x"])
            self.assertLess(schema["columns"][0]["range"][1], 200)
            self.assertIn(f"for one user with at most {limit} record", said)
            self.assertIn("without a user name", said)

    def test_bad_rows_use_up_places(self):
        for bad in ("1e6,u", "1e6,u,1,1", '"1e6,u,1', "bad,u,1", ",u,"):
            # Names of one user for each pair, so that all first rows are bad.
            own = [line.replace("u", f"u{i}") for i in range(400) for line in (bad, "1e6,u,1")]
            schema, _ = self.ranges(self.others() + own)
            blanked, _ = self.ranges(self.others() + [""] * len(own))
            if bad in ("bad,u,1", ",u,"):
                self.assertEqual(schema, blanked, bad)
            self.assertLess(schema["columns"][0]["range"][1], 200, bad)

    def test_noise_is_for_all_rows_of_a_user(self):
        # 60 rows show at epsilon 1 for one row each, and are hidden if 8 may be of one user.
        rows = [f"5,v{i},1" for i in range(60)]
        self.assertIn("range", self.ranges(rows)[0]["columns"][0])
        self.assertNotIn("range", self.ranges(rows, "--rounds-per-user", "8")[0]["columns"][0])

    def test_all_rows_within_the_limit_count(self):
        rows = [f"5,v{i % 45},1" for i in range(135)]
        self.assertIn("range", self.ranges(rows, "--rounds-per-user", "3")[0]["columns"][0])
        self.assertNotIn("range", self.ranges(rows[:45], "--rounds-per-user", "3")[0]["columns"][0])

    def test_another_column_may_hold_the_users(self):
        schema, _ = self.ranges(self.others() + ["1e6,u,1"] * 300, "--user", "who", header="x,who,y")
        self.assertEqual([column["name"] for column in schema["columns"]], ["x"])
        self.assertLess(schema["columns"][0]["range"][1], 200)

    def test_a_schema_has_no_user_column(self):
        self.write("t.csv", other_rows())
        for source in ("--header", "--public-sample"):
            done = run("schema", source, self.path("t.csv"))
            self.assertEqual([column["name"] for column in json.loads(done.stdout)["columns"]], ["x"])
        done = run("schema", "--header", self.path("t.csv"), "--facts", "user=a|b")
        self.assertEqual(done.returncode, 2)
        self.assertIn("user column", done.stderr)
        self.assertEqual(run("schema", "--header", self.path("t.csv"), "--user", "whom").returncode, 2)


if __name__ == "__main__":
    main()
