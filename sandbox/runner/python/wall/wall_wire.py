"""Frames on the two pipes between the suite and the builder's code: a length of four bytes, then JSON (gate.md part 10).

Both sides are synchronous. The reader bounds the size of a frame before it reads it and waits at most until a deadline.
"""

import json
import os
import select

from suite_time import now

MAX_FRAME = 16 * 1024 * 1024
_CHUNK = 1 << 16
_read, _write, _clock, _loads = os.read, os.write, now, json.loads


class WireError(Exception):
    """The other side is gone, or sent what is no frame."""


class WireEnded(WireError):
    """The other side is gone."""


class WireTimeout(Exception):
    """Nothing complete came before the deadline."""


class TooLarge(Exception):
    """The message that was to be sent is longer than a frame may be."""


class Wire:
    """One end of the two pipes."""

    def __init__(self, read_fd, write_fd):
        self._in, self._out = read_fd, write_fd
        self._buffer = b""
        self._poll = select.poll()
        self._poll.register(read_fd, select.POLLIN)

    def unblock(self):
        """Makes writing wait no longer than its deadline, for the side that must not hang."""
        os.set_blocking(self._out, False)
        self._writable = select.poll()
        self._writable.register(self._out, select.POLLOUT)

    def send(self, text, deadline=None):
        """Writes one message, already JSON and ASCII. Raises TooLarge before anything was written. A deadline needs `unblock`."""
        data = text.encode("ascii")
        if len(data) > MAX_FRAME:
            raise TooLarge(f"a message of {len(data)} bytes, the limit is {MAX_FRAME}")
        data = len(data).to_bytes(4, "big") + data
        try:
            while data:
                try:
                    data = data[_write(self._out, data):]
                except BlockingIOError:
                    left = deadline - _clock()
                    if left <= 0:
                        raise WireTimeout() from None
                    self._writable.poll(left * 1000)
        except OSError as error:
            raise WireEnded("the other side does not read") from error

    def receive(self, deadline=None):
        """The next message, parsed. `deadline` is on the room's clock; None waits for ever."""
        size = int.from_bytes(self._take(4, deadline), "big")
        if size > MAX_FRAME:
            raise WireError(f"a frame of {size} bytes, the limit is {MAX_FRAME}")
        try:
            return _loads(self._take(size, deadline))
        except (ValueError, RecursionError) as error:
            raise WireError("a frame that is no JSON") from error

    def _take(self, size, deadline):
        parts, have = [self._buffer], len(self._buffer)
        while have < size:
            if deadline is not None:
                left = deadline - _clock()
                if left <= 0:
                    self._buffer = b"".join(parts)
                    raise WireTimeout()
                if not self._poll.poll(left * 1000):
                    continue
            try:
                part = _read(self._in, max(_CHUNK, size - have))
            except OSError as error:
                raise WireError("the pipe cannot be read") from error
            if not part:
                raise WireEnded("the other side has ended")
            parts.append(part)
            have += len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._buffer = data[size:]
        return data[:size]
