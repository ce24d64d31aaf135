"""One side's end of the encoding: values, and the objects that both sides share (gate.md part 10).

A mutable container or an instance of a contract's data class is a *shared object*: it has a number in the session, its
content travels beside the value, and both sides keep the numbered object, so that identity, cycles and mutation are those
of one process. Content is sent only when it differs from what the other side has.
"""

import array
import collections
import json
import operator
import types

from wall_named import decode_named
from wall_plain import DECODERS, ENCODERS, CannotCross, encode_int, encode_text

MAX_DEPTH = 300
MAX_SHARED = 200_000
# Live objects that are looked at before each message; beyond it only those that a message names are. A look at what has not
# changed costs less than a microsecond; only SYNC_WHOLE of those without a cheap look are compared as a whole.
SYNC_OBJECTS = 4_000
SYNC_ITEMS = 50_000
SYNC_WHOLE = 64
_loads = json.loads
_dumps = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), check_circular=False).encode


class Codec:
    """Subclasses say what is a data object, a handle or an exception: `encode_other`, `decode_other`, `data_kind`."""

    def __init__(self, parity):
        self.next_id = parity
        self.objects, self.ids, self.shadow, self.kinds, self.looks = {}, {}, {}, {}, {}
        self.pending, self.reached, self.heap = [], set(), []
        self.depth, self.changeable = 0, None
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
        if len(self.objects) - len(self.reached) > SYNC_OBJECTS:
            return
        whole = items = 0
        for number, value in list(self.objects.items()):
            if number in self.reached or number not in self.shadow:
                continue
            look = self.looks.get(number)
            if look is None:
                whole += 1
                if whole > SYNC_WHOLE:
                    continue
            else:
                items += len(look)
                if items > SYNC_ITEMS or _is_same(look, self._look(value, self.kinds[number])):
                    continue
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
            self._looked(number)
            if text != self.shadow.get(number):
                self.shadow[number] = text
                found.append([number, kind if type(kind) is str else _SHARED[kind], text, *self.making(number)])
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
        if kind is array.array:
            return [value.typecode, value.tobytes().hex()]
        if kind is collections.deque:
            return [value.maxlen, *(self.enc(item) for item in value)]
        if kind is collections.defaultdict:
            return [self.enc(value.default_factory), *(self.enc(part) for pair in value.items() for part in pair)]
        if kind is types.SimpleNamespace:
            return [self.enc(part) for pair in vars(value).items() for part in pair]
        return self.data_content(value)

    def making(self, number):
        """How an object that is told for the first time was made, where the other side is to make it so, too."""
        return ()

    def make(self, value, how):
        """Makes an object that has been filled once more, by its own constructor."""

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
            self.shadow.pop(number, None)
            self.looks.pop(number, None)

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
        fresh, made, changeable = [], [], self.changeable
        for number, tag, text, *how in heap:
            content = _loads(text)
            known = self.objects.get(number)
            if known is not None and changeable is not None and number not in changeable:
                raise CannotCross("a constructor changed a value that had crossed before and was not given to it")
            if known is None:
                kind = _KIND_OF.get(tag, tag)
                known = into[1] if into is not None and into[0] == number else self._shell(kind, content)
                self.register(number, known, kind)
            elif _KIND_OF.get(tag, tag) != self.kinds[number]:
                raise CannotCross("a shared object of another kind")
            before = self.shadow.get(number)
            self.shadow[number] = text
            fresh.append((number, known, self.kinds[number], content, before))
            if how and before is None:
                made.append((known, how, content))
        # Children first: a set or a key is hashed when it is put in.
        for _number, known, kind, content, before in reversed(fresh):
            if type(kind) is str:
                self.fill_data(known, content, None if before is None else _loads(before))
        for number, known, kind, content, _before in reversed(fresh):
            if type(kind) is not str:
                self._fill(known, kind, content)
        for known, how, content in reversed(made):
            self.make(known, how)
            self.fill_data(known, content, None)
        for number, *_rest in reversed(fresh):
            self._looked(number)

    def is_told(self, number):
        """Whether the other side has what an object holds; of those without a cheap look nobody knows."""
        look = self.looks.get(number)
        return look is not None and _is_same(look, self._look(self.objects[number], self.kinds[number]))

    def _looked(self, number):
        look = self._look(self.objects[number], self.kinds[number])
        if look is not None:
            self.looks[number] = look

    def _look(self, value, kind):
        """What an object holds, not copied: the same things in the same order are no change. None where only its whole form tells."""
        try:
            if kind is list or kind is set or kind is collections.deque:
                return tuple(value)
            if kind is dict or kind is collections.OrderedDict or kind is collections.Counter:
                return (*value.keys(), *value.values())
            if kind is bytearray:
                return bytes(value)
            if kind is array.array:
                return value.tobytes()
            return self.data_look(value) if type(kind) is str else None
        except RuntimeError:  # another thread changes it meanwhile
            return None

    def _shell(self, kind, content):
        if kind is collections.deque:
            return collections.deque(maxlen=content[0])
        if kind is array.array:
            return array.array(content[0])
        return kind() if type(kind) is not str else self.data_shell(content)

    def _fill(self, value, kind, content):
        if kind is bytearray:
            value[:] = bytes.fromhex(content)
            return
        if kind is array.array:
            del value[:]
            value.frombytes(bytes.fromhex(content[1]))
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


def _is_same(before, now):
    if now is None or len(before) != len(now):
        return False
    return before == now if type(before) is bytes else all(map(operator.is_, before, now))


_SHARED = {
    list: "l", dict: "d", set: "s", bytearray: "ba", collections.deque: "dq", collections.OrderedDict: "od",
    collections.Counter: "ct", collections.defaultdict: "dd", types.SimpleNamespace: "ns", array.array: "ar",
}  # fmt: skip
_KIND_OF = {tag: kind for kind, tag in _SHARED.items()}
SHARED_KINDS = tuple(_SHARED)
