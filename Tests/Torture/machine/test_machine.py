"""What the machine itself has to keep, or it cries wolf; run by run.sh before anything is judged."""

import os
import random
import sqlite3
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import audit
import crash
from power import Disk
from world import Broken, World


class ACatalogueBesideReceipts(unittest.TestCase):
    def world(self):
        """One copy that arrived, and the picture that was written with it."""
        connection = sqlite3.connect(":memory:")
        connection.executescript(
            """CREATE TABLE item (id, sha256); CREATE TABLE picture (id, sha256);
            CREATE TABLE picture_item (item, picture); CREATE TABLE catalogue (taken, until);
            CREATE TABLE submission (id, item, state, evidence, was_there, note);
            CREATE TABLE attempt (submission, outcome);
            INSERT INTO item VALUES (1, x'07'); INSERT INTO picture VALUES (1, x'07');
            INSERT INTO picture_item VALUES (1, 1); INSERT INTO catalogue VALUES (0, 0);
            INSERT INTO submission VALUES (1, 1, 2, 'verified', 0, NULL); INSERT INTO attempt VALUES (1, 'done');""")
        return SimpleNamespace(
            journal_path=SimpleNamespace(exists=lambda: True), connection=connection,
            journal=lambda query: connection.execute(query).fetchall())

    def test_agrees_with_them_or_is_found_out(self):
        audit.check_catalogue(self.world())
        for harm in ["DELETE FROM picture_item", "UPDATE picture SET sha256 = x'08'", "DELETE FROM attempt"]:
            with self.subTest(harm):
                world = self.world()
                world.connection.execute(harm)
                self.assertRaises(Broken, audit.check_catalogue, world)
        world = self.world()
        world.connection.executescript(
            "DELETE FROM picture_item; UPDATE submission SET was_there = 1, evidence = 'unknown', note = 'Another one.'")
        audit.check_catalogue(world)


class ADiskThatForgets(unittest.TestCase):
    def test_sees_each_process_that_touches_its_world(self):
        """What a process syncs or removes unseen, a later power cut takes back or brings back."""
        for scene, (_, _, names, _, _, errand) in crash.SCENES.items():
            with self.subTest(scene), tempfile.TemporaryDirectory() as folder:
                program, seen = Path(folder) / "submit", Path(folder) / "seen"
                program.write_text(f'#!/bin/sh\necho "${{TORTURE_SHADOW:-unseen}} $*" >> "{seen}"\n')
                os.chmod(program, 0o755)
                machine = SimpleNamespace(program=program, shim="", part="power")
                world = World(machine, Path(folder) / "world", "", {})
                errand_of_scene = errand(world, None, names, {name: {} for name in names}, random.Random(1))
                errand_of_scene.asked = 1
                disk = Disk(world, random.Random(1))
                for point in (("", "time", 0.9, ""), ("", "commit", 1, "before")):
                    world.run(*errand_of_scene.first(), **crash.kill_options(world, point, 60, disk))
                errand_of_scene.finish()
                runs = seen.read_text().splitlines()
                self.assertGreater(len(runs), 2)
                for line in runs:
                    self.assertTrue(line.startswith(str(disk.shadow)), line)
