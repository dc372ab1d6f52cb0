"""Prints the slowest tests of a run with their seconds.

    usage: slowest-tests.py EVENTS WIDTH [COUNT]

The time that Swift Testing tells of a test counts from when the run began, and so the wait for one of the WIDTH places that
tests run in. Of a test with arguments each case says when it had its place, and the slowest one counts. Of the others that is
worked out: places are handed out in the order in which tests asked for them, so that whoever ends makes room for the first who
waits. A few tests ask at the same moment, which makes figures wrong by what the shortest of them took.
"""

import collections
import json
import sys

width, count = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 10

names, events = {}, []
for line in open(sys.argv[1]):
    record = json.loads(line)
    payload = record["payload"]
    if record["kind"] == "test" and payload["kind"] == "function":
        names[payload["id"]] = payload.get("displayName") or payload["name"]
    elif record["kind"] == "event" and payload.get("testID") in names:
        events.append((payload["kind"], payload["testID"], payload["instant"]["absolute"], payload.get("_testCase", {}).get("id")))

cases = collections.Counter(test for kind, test, _, _ in events if kind == "testCaseStarted")
waiting, since, seconds = collections.deque(), {}, {}
free = width


def hand_out(now):
    global free
    while free and waiting:
        free -= 1
        since.setdefault(waiting.popleft(), now)


for kind, test, now, case in events:
    key = (test, case)
    if kind == "testStarted":
        # Cases say themselves when they begin; here they only take up places.
        waiting.extend([test] if test not in cases else [(test, number) for number in range(cases[test])])
    elif kind == "testCaseStarted":
        since[key] = now
    elif kind == "testCaseEnded" or kind == "testEnded" and test not in cases:
        ended = key if kind == "testCaseEnded" else test
        if ended in since:
            seconds[test] = max(seconds.get(test, 0), now - since[ended])
            free += 1
        else:
            # It had the place that another one was taken for.
            waiting.remove(ended)
    hand_out(now)

for test, took in sorted(seconds.items(), key=lambda item: -item[1])[:count]:
    print(f"{took:7.1f} s  {test.partition('.')[0]}: {names[test]}")
