"""What the machine itself has to keep, or it cries wolf; run by run.sh before anything is judged."""

import os
import random
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import crash
from power import Disk
from world import World


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
