"""One side's end of the encoding: values, and the objects that both sides share (gate.md part 10).

A mutable container or an instance of a contract's data class is a *shared object*: it has a number in the session, its
content travels beside the value, and both sides keep the numbered object, so that identity, cycles and mutation are those
of one process. Content is sent only when it differs from what the other side has.
"""

import collections
import json
import types

from wall_named import decode_named
from wall_plain import DECODERS, ENCODERS, CannotCross, encode_int, encode_text

MAX_DEPTH = 300
MAX_SHARED = 200_000
# Live objects that are compared before each message; beyond it only those that a message names are.
SYNC_OBJECTS = 64
SYNC_CHARS = 32_768
_dumps = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False).encode


class Codec:
    """Subclasses say what is a data object, a handle or an exception: `encode_other`, `decode_other`, `data_kind`."""

    def __init__(self, parity):
        self.next_id = parity
        self.objects, self.ids, self.shadow, self.kinds = {}, {}, {}, {}
        self.pending, self.reached, self.heap = [], set(), []
        self.depth, self.chars = 0, 0
        self.decoders = dict(DECODERS)
        self.decoders["@"] = self._shared
        self.decoders["nt"] = decode_named

    # -- encoding -------------------------------------------------------------------------------------------------

    def message(self, parts):
        """JSON text of a list of parts whose values are encoded already, with the heap that they need behind them."""
        self._sync_live()
        heap = self._drain()
        self.reached = set()
        return _dumps([*parts, heap])

    def enc(self, value):
        """JSON form of a value. Raises CannotCross."""
        kind = type(value)
        if kind is str:
            return encode_text(value)
        if value is None or kind is bool or kind is float:
            return value
        if kind is int:
            return encode_int(value)
        if kind in _SHARED:
            return self._ref(value, kind)
        encoder = ENCODERS.get(kind)
        if encoder is None:
            return self.encode_other(value)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.depth = 0
            raise CannotCross("a value that is nested too deeply")
        try:
            return encoder(value, self.enc)
        finally:
            self.depth = max(0, self.depth - 1)

    def share(self, value, kind):
        """Reference to a shared object of a kind of the subclass."""
        return self._ref(value, kind)

    def _ref(self, value, kind):
        number = self.ids.get(id(value))
        if number is None:
            number = self.next_id
            self.next_id += 2
            self.register(number, value, kind)
        if number not in self.reached:
            self.reached.add(number)
            self.pending.append(number)
        return ["@", number]

    def register(self, number, value, kind):
        if len(self.objects) >= MAX_SHARED:
            raise CannotCross("too many shared objects")
        self.objects[number] = value
        self.ids[id(value)] = number
        self.kinds[number] = kind

    def _sync_live(self):
        if len(self.objects) - len(self.reached) > SYNC_OBJECTS or self.chars > SYNC_CHARS:
            return
        for number in list(self.objects):
            if number not in self.reached and number in self.shadow:
                self.reached.add(number)
                self.pending.append(number)

    def _drain(self):
        """Contents of what was reached and has changed, parents before children."""
        found = []
        for number in self.pending:  # grows while it is walked
            kind = self.kinds[number]
            try:
                content = self._content(self.objects[number], kind)
            except RuntimeError as error:
                raise CannotCross("a container that changes while it is read") from error
            text = _dumps(content)
            known = self.shadow.get(number)
            if text != known:
                self.chars += len(text) - len(known or "")
                self.shadow[number] = text
                found.append([number, kind if type(kind) is str else _SHARED[kind], text])
        self.pending = []
        return found

    def _content(self, value, kind):
        if kind is list:
            return [self.enc(item) for item in value]
        if kind is dict or kind is collections.OrderedDict or kind is collections.Counter:
            return [self.enc(part) for pair in value.items() for part in pair]
        if kind is set:
            return [self.enc(item) for item in value]
        if kind is bytearray:
            return value.hex()
        if kind is collections.deque:
            return [value.maxlen, *(self.enc(item) for item in value)]
        if kind is collections.defaultdict:
            return [self.enc(value.default_factory), *(self.enc(part) for pair in value.items() for part in pair)]
        if kind is types.SimpleNamespace:
            return [self.enc(part) for pair in vars(value).items() for part in pair]
        return self.data_content(value)

    def abandon(self):
        """Forgets a message that could not be encoded."""
        for number in self.pending:
            if number not in self.shadow:
                self.forget(number)
        self.pending, self.reached, self.depth = [], set(), 0

    def forget(self, number):
        if number in self.objects:
            self.ids.pop(id(self.objects.pop(number)), None)
            self.kinds.pop(number, None)
            self.chars -= len(self.shadow.pop(number, ""))

    # -- decoding -------------------------------------------------------------------------------------------------

    def dec(self, part):
        """Value of a JSON form. Raises CannotCross for what this encoding does not have."""
        if type(part) is not list:
            if type(part) is dict:
                raise CannotCross("an object without a tag")
            return part
        decoder = self.decoders.get(part[0])
        if decoder is None:
            return self.decode_other(part)
        return decoder(part[1:], self.dec)

    def _shared(self, parts, _dec):
        return self.objects[parts[0]]

    def take_heap(self, heap, into=None):
        """Makes or updates the shared objects of a message. `into` is a number and the object that is to be it."""
        fresh = []
        for number, tag, text in heap:
            content = json.loads(text)
            known = self.objects.get(number)
            if known is None:
                kind = _KIND_OF.get(tag, tag)
                known = into[1] if into is not None and into[0] == number else self._shell(kind, content)
                self.register(number, known, kind)
            elif _KIND_OF.get(tag, tag) != self.kinds[number]:
                raise CannotCross("a shared object of another kind")
            before = self.shadow.get(number)
            self.chars += len(text) - len(before or "")
            self.shadow[number] = text
            fresh.append((known, self.kinds[number], content, before))
        # Children first: a set or a key is hashed when it is put in.
        for known, kind, content, before in reversed(fresh):
            if type(kind) is str:
                self.fill_data(known, content, None if before is None else json.loads(before))
        for known, kind, content, _before in reversed(fresh):
            if type(kind) is not str:
                self._fill(known, kind, content)

    def _shell(self, kind, content):
        if kind is collections.deque:
            return collections.deque(maxlen=content[0])
        return kind() if type(kind) is not str else self.data_shell(content)

    def _fill(self, value, kind, content):
        if kind is bytearray:
            value[:] = bytes.fromhex(content)
            return
        decoded = [self.dec(part) for part in content]
        if kind is list:
            value[:] = decoded
        elif kind is set:
            value.clear()
            value.update(decoded)
        elif kind is collections.deque:
            value.clear()
            value.extend(decoded[1:])
        elif kind is types.SimpleNamespace:
            vars(value).clear()
            vars(value).update(zip(decoded[::2], decoded[1::2]))
        else:
            if kind is collections.defaultdict:
                value.default_factory, decoded = decoded[0], decoded[1:]
            value.clear()
            for key, item in zip(decoded[::2], decoded[1::2]):
                value[key] = item


_SHARED = {
    list: "l", dict: "d", set: "s", bytearray: "ba", collections.deque: "dq", collections.OrderedDict: "od",
    collections.Counter: "ct", collections.defaultdict: "dd", types.SimpleNamespace: "ns",
}  # fmt: skip
_KIND_OF = {tag: kind for kind, tag in _SHARED.items()}
SHARED_KINDS = tuple(_SHARED)
