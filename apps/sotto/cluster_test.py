#!/usr/bin/env python3
"""A few faults of tools/cluster_torture.py, and a history that it must refute. cluster_test.py SOTTO"""
import argparse
import os
import sys
import unittest

import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
import cluster_torture  # noqa: E402
import test_network  # noqa: E402

FAULTS = (("kill", "process", "writer"), ("stop", "process", "writer"), ("kill", "process", "front"),
          ("stop", "primary", None), ("kill", "primary", None), ("kill", "standby", None))
PARTITIONS = test_network.possible()


def cut(torture, *names):
    torture.partition(set(names), set(cluster_torture.MACHINES) - set(names))
    torture.cluster.wait()


def play(torture, _kinds, _end):
    """Each kind of fault once, in a fixed order."""
    for kind, what, which in FAULTS:
        getattr(torture, what)(*(part for part in (kind, which) if part))
        torture.cluster.wait()
    if PARTITIONS:
        cut(torture, torture.writer())
        cut(torture, torture.writer(), torture.cluster.primary)
    return {"kill": 4, "stop": 2, "partition": 2}


class ClusterTest(program.FolderTest):
    def test_clients_see_nothing_wrong_while_machines_are_lost(self):
        options = argparse.Namespace(program=program.SOTTO, kills=0, stops=0, partitions=PARTITIONS, clients=2, seed=5,
                                     minutes=60)
        cluster_torture.play = play
        result = cluster_torture.run(options, self.folder.name)
        self.assertEqual(result["problems"], [])
        self.assertGreater(result["labels"], 10)
        recovered = result["recovery_seconds"]
        self.assertEqual(recovered["kill writer"]["times"], 1)
        if PARTITIONS:
            self.assertEqual(recovered["cut writer"]["times"], 1)
            self.assertEqual(recovered["promotion after cut"]["times"], 1)

    def test_a_broken_chain_is_found(self):
        class Broken:
            primary = "a"

            def ask(self, _name, statement):
                return "1" if statement is cluster_torture.BROKEN else "0"
        self.assertEqual(len(cluster_torture.check_database(Broken())), 1)


if __name__ == "__main__":
    if PARTITIONS:
        test_network.enter()
    unittest.main()
