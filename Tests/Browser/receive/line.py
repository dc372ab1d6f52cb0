"""A line between a browser and a server, that may be narrow, break, or be down."""
import asyncio
import socket
import struct
import threading


class Line:
    def __init__(self, port, to):
        self.port, self.to = port, to
        # Bytes a second of each connection, towards the server; 0: as fast as they come.
        self.rate = 0
        self.is_down = False
        self.sent = 0
        self.open = set()
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait(10)

    def run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", self.port))
        self.loop.call_soon(ready.set)
        self.loop.run_forever()

    async def serve(self, reader, writer):
        if self.is_down:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, far_writer)
        self.open.add(pair)
        try:
            await asyncio.gather(self.pump(reader, far_writer, True), self.pump(far_reader, writer, False))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self.open.discard(pair)
            for one in pair:
                one.transport.abort()

    async def pump(self, reader, writer, is_up):
        while data := await reader.read(16384):
            if is_up:
                self.sent += len(data)
                if self.rate:
                    await asyncio.sleep(len(data) / self.rate)
            writer.write(data)
            await writer.drain()
        writer.write_eof() if writer.can_write_eof() else None

    def call(self, body):
        done = threading.Event()

        def work():
            body()
            done.set()

        self.loop.call_soon_threadsafe(work)
        done.wait(10)

    def reset(self):
        """All connections end at once, as where a router forgets them."""

        def abort():
            for pair in list(self.open):
                for one in pair:
                    # So that it is told as a reset, and not as an end.
                    one.get_extra_info("socket").setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    one.transport.abort()

        self.call(abort)

    def down(self):
        self.is_down = True
        self.reset()

    def up(self):
        self.is_down = False

    def close(self):
        self.down()
        # Its port is for the next one.
        self.call(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
