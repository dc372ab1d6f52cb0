"""The faults a test orders: each strikes the next requests that match, in the order they were given."""
import re
import threading


class Fault:
    KEYS = {
        "method", "path", "header", "skip", "times", "status", "headers", "body", "after", "cutAfterBodyBytes",
        "commitAndDrop", "cutAnswerAfter", "hold", "expireTokens",
    }

    def __init__(self, order):
        unknown = set(order) - self.KEYS
        if unknown:
            raise ValueError(f"a fault has no {', '.join(sorted(unknown))}")
        self.order = order
        self.method = order.get("method", "*")
        self.path = re.compile(order.get("path", ""))
        self.header = order.get("header")
        self.skip = order.get("skip", 0)
        self.times = order.get("times", 1)  # 0: always
        self.left = self.times

    def matches(self, method, path, headers):
        return (
            self.method in ("*", method)
            and self.path.search(path)
            and (not self.header or self.has(headers))
        )

    def has(self, headers):
        """A header is a name, or a name and the value's beginning, as in `X-Command: upload`."""
        name, _, value = self.header.partition(":")
        return name in headers and headers[name].startswith(value.strip())

    def __getitem__(self, key):
        return self.order.get(key)

    def state(self):
        return dict(self.order, skip=self.skip, left=self.left if self.times else None)


class Plan:
    def __init__(self):
        self.lock = threading.Lock()
        self.faults = []

    def add(self, orders):
        faults = [Fault(order) for order in orders]
        with self.lock:
            self.faults += faults

    def clear(self):
        with self.lock:
            self.faults = []

    def take(self, method, path, headers):
        """The fault that strikes this request, or None."""
        with self.lock:
            for fault in self.faults:
                if not fault.matches(method, path, headers):
                    continue
                if fault.skip:
                    fault.skip -= 1
                    continue
                if fault.times:
                    fault.left -= 1
                    if not fault.left:
                        self.faults.remove(fault)
                return fault
        return None

    def state(self):
        with self.lock:
            return [fault.state() for fault in self.faults]
