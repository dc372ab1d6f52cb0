"""A line to a server: passes bytes on after a time, and counts those that a client sends, and its HTTP/1.1 requests.

Prints its port, and then for each line of its input what it counted since the last one, as JSON.
"""

import argparse
import asyncio
import collections
import json
import sys

# How much one direction of a connection holds: 100 ms at 160 MB/s.
LIMIT = 16 << 20
END = None


class Requests:
    """Counts the requests in what one connection sends: in plain HTTP/1.1, with lengths or in chunks."""

    def __init__(self, counts):
        self.counts, self.part, self.line, self.left, self.length, self.chunked = counts, "begin", b"", 0, 0, False

    def feed(self, data: bytes):
        at = 0
        while at < len(data):
            if self.left:
                step = min(self.left, len(data) - at)
                self.left -= step
                at += step
                continue
            end = data.find(b"\n", at)
            piece = data[at:end + 1] if end >= 0 else data[at:]
            at += len(piece)
            self.line += piece
            if end < 0:
                return
            line, self.line = self.line.strip(), b""
            getattr(self, self.part)(line)

    def begin(self, line):
        if line:
            self.counts[line.split(b" ")[0].decode(errors="replace")] += 1
            self.part, self.length, self.chunked = "head", 0, False

    def head(self, line):
        name, _, value = line.partition(b":")
        if not line:
            self.part = "chunk" if self.chunked else "begin"
            self.left = 0 if self.chunked else self.length
        elif name.lower() == b"content-length":
            self.length = int(value)
        elif name.lower() == b"transfer-encoding":
            self.chunked = b"chunked" in value.lower()

    def chunk(self, line):
        size = int(line.split(b";")[0], 16)
        if size:
            self.left = size + len(b"\r\n")
        else:
            self.part = "trailer"

    def trailer(self, line):
        if not line:
            self.part = "begin"


class End(asyncio.Protocol):
    """One end of a connection. What arrives here leaves by the other end, later."""

    def __init__(self, loop, half, seen=None):
        self.loop, self.half, self.seen = loop, half, seen
        self.other, self.transport, self.open_at = None, None, 0.0
        self.queue, self.queued, self.timer, self.is_full, self.has_ended = collections.deque(), 0, None, False, False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        if self.seen:
            self.seen(data)
        self.put(data)
        if self.queued > LIMIT:
            self.transport.pause_reading()

    def eof_received(self):
        self.put(END)
        return True

    def connection_lost(self, error):
        self.put(END)
        if self.other:
            self.other.queue.clear()

    def pause_writing(self):
        self.other.is_full = True

    def resume_writing(self):
        self.other.is_full = False
        self.other.pass_on()

    def put(self, data):
        if self.has_ended:
            return
        self.has_ended = data is END
        self.queue.append((max(self.loop.time(), self.open_at) + self.half, data))
        self.queued += len(data or b"")
        self.pass_on()

    def pass_on(self):
        if self.timer:
            return
        while self.queue and not self.is_full and self.other and self.other.transport:
            due, data = self.queue[0]
            if due > self.loop.time() + 0.0001:
                self.timer = self.loop.call_at(due, self.wake)
                break
            self.queue.popleft()
            self.leave(data)
        if self.queued <= LIMIT // 2 and not self.has_ended and self.transport:
            self.transport.resume_reading()

    def wake(self):
        self.timer = None
        self.pass_on()

    def leave(self, data):
        transport = self.other.transport
        if data is not END:
            self.queued -= len(data)
            if not transport.is_closing():
                transport.write(data)
        elif (self.other.has_ended and not self.other.queue) or self.transport.is_closing():
            transport.close()
            self.transport.close()
        elif not transport.is_closing():
            transport.write_eof()


async def serve(options):
    loop = asyncio.get_running_loop()
    counts, half = collections.Counter(), options.latency / 2000
    connecting = set()

    def accept():
        requests = Requests(counts) if options.requests else None

        def seen(data):
            counts["bytes"] += len(data)
            if requests:
                requests.feed(data)

        client, server = End(loop, half, seen), End(loop, half)
        client.other, server.other = server, client
        # The handshake of the real line: this one's client has it at once.
        client.open_at = loop.time() + 2 * half

        async def connect():
            try:
                await loop.create_connection(lambda: server, "127.0.0.1", options.to)
                client.pass_on()
            except OSError:
                client.transport.abort()

        task = loop.create_task(connect())
        connecting.add(task)
        task.add_done_callback(connecting.discard)
        return client

    server = await loop.create_server(accept, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.readline():
        print(json.dumps(counts), flush=True)
        counts.clear()


parser = argparse.ArgumentParser()
parser.add_argument("--to", type=int, required=True, help="the server's port on 127.0.0.1")
parser.add_argument("--latency", type=float, default=0, help="there and back, in milliseconds")
parser.add_argument("--requests", action="store_true", help="count the requests too: what passes is plain HTTP/1.1")
asyncio.run(serve(parser.parse_args()))
