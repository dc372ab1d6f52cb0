"""Holds a world against the promises, from outside: its originals, its journal, and what lies at every destination."""

import os
import stat
import time

from places import EVIDENCE
from world import ALBUM, Broken, differences, sha256

QUEUED, RUNNING, DONE = 0, 1, 2


def submissions(world):
    """What the journal says of each, but for the batches that were there before."""
    return world.journal(
        """SELECT submission.id, item.name, destination, state, evidence, remote_id, hex(item.sha256),
        submission.batch, path, tries, code, sentence, hex(rendition.sha256) FROM submission JOIN item ON item.id = item
        LEFT JOIN rendition ON rendition.submission = submission.id WHERE submission.batch > ?""",
        world.first_batch)


def told_lost(world):
    """How often an audit found a copy vanished or changed and had it owed again, by submission."""
    return dict(world.journal(
        "SELECT submission, count(*) FROM attempt WHERE outcome IN ('vanished', 'changed') GROUP BY submission"))


def excused(world):
    """The submissions whose copies somebody else took or changed, and that nobody has owed again since."""
    if not world.apart:
        return set()
    lost = told_lost(world)
    return {number for number, before in world.apart.items() if lost.get(number, 0) <= before}


def check_journal(world):
    if not world.journal_path.exists():
        return
    answer = world.journal("PRAGMA integrity_check")
    if answer != [("ok",)]:
        raise Broken(f"the journal is damaged: {answer[:3]}")


def check_catalogue(world):
    """What has arrived somewhere is a picture of the catalogue, and nothing else is: never one without the other."""
    if not world.journal_path.exists():
        return
    # What was sent before this version looked at it, and what has another file in its place, is none.
    missing = world.journal(
        """SELECT submission.id FROM submission JOIN item ON item.id = submission.item
        LEFT JOIN picture_item ON picture_item.item = submission.item
        LEFT JOIN picture ON picture.id = picture_item.picture
        WHERE state = 2 AND evidence IS NOT NULL AND picture.sha256 IS NOT item.sha256
        AND NOT (was_there = 1 AND evidence = 'unknown' AND note IS NOT NULL)
        AND item.id NOT BETWEEN (SELECT taken + 1 FROM catalogue) AND (SELECT until FROM catalogue)""")
    if missing:
        raise Broken(f"submission {missing[0][0]} is done and not in the catalogue, as are {len(missing) - 1} others")
    early = world.journal(
        """SELECT picture_item.item FROM picture_item WHERE NOT EXISTS (SELECT 1 FROM submission
        JOIN attempt ON attempt.submission = submission.id
        WHERE submission.item = picture_item.item AND outcome = 'done')""")
    if early:
        raise Broken(f"item {early[0][0]} is in the catalogue, and nothing of it was ever done")


def check_said(world, run):
    """What a run has said of itself is in the journal, however it ended."""
    known = {row[0]: row for row in submissions(world)}
    for event in run.events("accepted"):
        for submission in event["submissions"]:
            if submission["id"] not in known:
                raise Broken(f"submission {submission['id']} was said to be accepted and is not in the journal")
    for event in run.events("done"):
        row = known.get(event["submission"])
        if row is None or row[3] != DONE:
            raise Broken(f"submission {event['submission']} was said to be done and is {row and row[3]} in the journal")


def check_done(world, places, names):
    """What is done is there, whole: by the journal's own word for where, and by the bytes."""
    contents, lost = {}, excused(world)
    for row in submissions(world):
        number, name, place, state, evidence, remote, digest, *_ = row
        if state != DONE or place not in names or number in lost:
            continue
        if evidence not in EVIDENCE[place]:
            raise Broken(f"{name} is done at {place} on the evidence “{evidence}”")
        if world.sources[name][0] != digest.lower():
            raise Broken(f"{name} has another digest in the journal")
        if name in world.clean:
            digest = row[12]
            if digest.lower() != world.clean[name]:
                raise Broken(f"{name} went to {place} as another rendition than the preview showed: {digest}")
        if place not in contents:
            contents[place] = places.contents(place)
        if contents[place].get(remote_path(places, place, remote)) != digest.lower():
            raise Broken(
                f"{name} is done at {place} as {remote}, where there is "
                f"{contents[place].get(remote_path(places, place, remote), 'nothing')}")


def remote_path(places, place, remote):
    """The path below the destination's root of what a receipt names."""
    if place == "nas":
        return remote.split(f"{places.folder}/", 1)[-1]
    if place in ("shop", "box"):
        bucket = places.shop if place == "shop" else places.box
        return remote.split(f"{bucket}/", 1)[-1]
    return remote


def check_complete(world, places, names, expected, patience=5, errand=None):
    """Everything has arrived once, whole; nothing else is there.

    `expected`: for each destination the SHA-256 by path."""
    (errand or world).check_sources()
    check_journal(world)
    check_catalogue(world)
    rows = submissions(world)
    owed = {(name, place) for name in world.sources for place in names}
    have = sorted((row[1], row[2]) for row in rows)
    if have != sorted(owed):
        twice = {pair for pair in have if have.count(pair) > 1}
        raise Broken(f"the journal owes other than was asked for: {len(rows)} of {len(owed)}, twice {sorted(twice)[:4]}, "
                     f"missing {sorted(owed - set(have))[:4]}")
    open_ones = [row for row in rows if row[3] != DONE]
    if open_ones:
        raise Broken(f"not done: {[(row[1], row[2], row[3], row[10], row[11]) for row in open_ones[:4]]}")
    if world.journal("SELECT count(*) FROM batch WHERE complete = 0") != [(0,)]:
        raise Broken("a batch is not complete")
    if world.journal("SELECT count(*) FROM checkpoint") != [(0,)]:
        raise Broken("checkpoints are left")
    # Once, and once more each time that it was found lost.
    ended = world.journal(
        """SELECT submission, sum(outcome = 'done') AS ends FROM attempt JOIN submission ON submission.id = submission
        WHERE batch > ? GROUP BY submission HAVING ends > 1 + sum(outcome IN ('vanished', 'changed'))""",
        world.first_batch)
    if ended:
        raise Broken(f"done more than once: {ended[:4]}")
    check_done(world, places, names)
    for place in names:
        # A list at an object store may be some moments behind.
        deadline = time.monotonic() + patience
        while True:
            found, remains = places.contents(place), places.remains(place)
            trouble = differences(expected[place], found)
            if not trouble and not remains:
                break
            if place in ("disk", "nas") or time.monotonic() > deadline:
                raise Broken(f"{place}: {trouble or ''} {'left over: ' + ', '.join(remains[:6]) if remains else ''}")
            time.sleep(0.3)
    if "disk" in names:
        for name, (_, size, modified, *_) in world.sources.items():
            for path in expected["disk"]:
                if not path.endswith("/" + name):
                    continue
                copy = places.disk / path
                status = os.stat(copy)
                if sha256(copy) == world.sources[name][0] and (
                        status.st_mtime_ns != modified or stat.S_IMODE(status.st_mode) != 0o644):
                    raise Broken(f"{copy} has another date or other permissions")
    left = [str(path.relative_to(world.root)) for name in ("tmp", "home") for path in (world.root / name).rglob("*")
            if not (errand and errand.is_left(path))]
    state = [path.name for path in world.journal_path.parent.iterdir()
             if path.name not in ("journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite-workers",
                                  ".journal.sqlite-renditions")]
    state += [path.name for path in world.journal_path.parent.glob(".journal.sqlite-renditions/*")]
    if left or state:
        raise Broken(f"left over: {left + state}")


def done_marks(world, places, names):
    """What may not change any more: the copies that the journal calls done."""
    marks, kept, lost = {}, {}, excused(world)
    for row in submissions(world):
        if row[3] == DONE and row[2] in names and row[0] not in lost:
            place, path = row[2], remote_path(places, row[2], row[5])
            if place not in marks:
                marks[place] = places.marks(place)
            kept[place, path] = marks[place].get(path)
    return kept


def check_unwritten(world, places, names, before):
    now = done_marks(world, places, names)
    for key, mark in before.items():
        if mark is not None and now.get(key) != mark:
            raise Broken(f"{key[1]} was done at {key[0]} and was written again")


def expected_paths(world, names, taken=()):
    """Where everything should lie, with the album in front; a name that is taken gets a number."""
    expected = {place: {} for place in names}
    for name, (digest, *_) in world.sources.items():
        path = f"{ALBUM}/{name[:-4]}-1.jpg" if name in taken else f"{ALBUM}/{name}"
        for place in names:
            expected[place][path] = digest
    return expected
