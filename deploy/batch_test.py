#!/usr/bin/env python3
"""The scripts of deploy/batch, with few games: batch_test.py SOTTO"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

SOTTO = os.path.abspath(sys.argv.pop(1))
BATCH = pathlib.Path(__file__).resolve().parent / "batch"
AUDIT = ["laplace", "--runs", "3000", "--epsilon", "0.5"]


def call(command, **variables):
    return subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "SOTTO": SOTTO, **variables})


class BatchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.whole = call([SOTTO, "audit", *AUDIT, "--looks", "1"])

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.counts = os.path.join(folder.name, "a folder")

    def check_whole(self, merged):
        self.assertEqual((merged.returncode, merged.stdout), (self.whole.returncode, self.whole.stdout), merged.stderr)

    def test_parallel_gives_the_verdict_of_one_machine_and_resumes(self):
        command = [BATCH / "parallel.sh", self.counts, "3", *AUDIT]
        first = call(command, NO_PARALLEL="1")
        self.check_whole(first)
        self.assertIn("audit: 3 of 3 shards done\n", first.stderr)
        kept = pathlib.Path(self.counts) / "1-of-3.json"
        (pathlib.Path(self.counts) / "2-of-3.json").unlink()
        before = kept.stat().st_mtime_ns
        self.check_whole(call(command, NO_PARALLEL="1"))
        self.assertEqual(kept.stat().st_mtime_ns, before)

    def test_a_shard_that_fails_leaves_no_file_and_no_verdict(self):
        wrong = call([BATCH / "parallel.sh", self.counts, "2", "laplace", "--runs", "none"], NO_PARALLEL="1")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertEqual((wrong.stdout, os.listdir(self.counts)), ("", []))

    def test_slurm_plays_a_shard_for_each_task(self):
        for task in ("1", "2"):
            done = call([BATCH / "slurm.sh", self.counts, *AUDIT], SLURM_ARRAY_TASK_ID=task,
                        SLURM_ARRAY_TASK_COUNT="2", SOTTO_BATCH=str(BATCH))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr, f"audit: {task} of 2 shards done\n")
        self.check_whole(call([SOTTO, "audit", "merge", *sorted(map(str, pathlib.Path(self.counts).iterdir()))]))

    def test_kubernetes_plays_a_shard_for_each_index_and_merges(self):
        claim, shards, merge = yaml.safe_load_all((BATCH / "kubernetes.yaml").read_text())
        self.assertEqual(claim["spec"]["accessModes"], ["ReadWriteMany"])
        self.assertEqual(shards["spec"]["completionMode"], "Indexed")
        for job in (shards, merge):
            pod = job["spec"]["template"]["spec"]
            said = {it["name"]: it["value"] for it in pod["containers"][0]["env"]}
            self.assertEqual(said["SHARDS"], str(shards["spec"]["completions"]))
            mounted = {it["mountPath"] for it in pod["containers"][0]["volumeMounts"]}
            self.assertLessEqual({said[name] for name in ("FOLDER", "BATCH") if name in said}, mounted)

        def run(job, **variables):
            container = job["spec"]["template"]["spec"]["containers"][0]
            script = container["args"][0].replace("stopper --runs 100000000", " ".join(AUDIT))
            return call([*container["command"], script], FOLDER=self.counts, BATCH=str(BATCH), SHARDS="2", **variables)

        for index in ("0", "1"):
            done = run(shards, JOB_COMPLETION_INDEX=index)
            self.assertEqual(done.returncode, 0, done.stderr)
        merged = run(merge)
        self.check_whole(merged)
        self.assertIn("audit: 2 of 2 shards done\n", merged.stderr)

    def test_scripts_are_read_by_the_shell(self):
        for script in BATCH.glob("*.sh"):
            self.assertEqual(call(["bash", "-n", script]).returncode, 0, script)


if __name__ == "__main__":
    unittest.main()
