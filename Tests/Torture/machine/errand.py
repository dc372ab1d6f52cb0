"""What a scene of the crash machine asks of `submit`, from its first command to where nothing is owed any more."""

from world import ALBUM


def send(names):
    return ["--json", "--to", ",".join(names), "--album", ALBUM, "--wait", 10]


RESUME = ["resume", "--json", "--wait", 10]


class Errand:
    """A plain send. The others differ in what is said here."""

    # Above 1, kills come rather late in the run.
    lateness = 1

    def __init__(self, world, places, names, expected, numbers):
        self.world, self.places, self.names = world, places, names
        self.expected, self.numbers = expected, numbers

    def prepare(self):
        """What has happened before anybody is killed."""
        self.asked = self.world.newest_batch() + 1

    def first(self):
        return [*send(self.names), self.world.photos]

    def next(self, command):
        """What its user says after a kill: what was not taken in is asked for again."""
        return RESUME if self.is_taken_in() else command

    def is_taken_in(self):
        return self.world.newest_batch() >= self.asked

    def codes(self):
        return (0, 3)

    def meddle(self):
        """What its user does between two runs; tells whether he did anything."""
        return False

    def check(self):
        """After each run, however it ended: what holds besides what is journalled and stored."""

    def finish(self):
        return self.world.finish()

    def check_sources(self):
        """Once nothing is owed any more."""
        self.world.check_sources()

    def is_left(self, path):
        """Whether a file may be in the home folder then."""
        return False
