"""The last call of a test, as text of known values: what a counterexample may tell (gate.md part 6)."""

import json

MAX_TEXT = 300
MAX_ITEMS = 12
_MAX_DEPTH = 4
_BRACKETS = {"l": "[]", "dq": "[]", "t": "()", "s": "{}", "f": "{}"}


class Note:
    """Keeps the messages of the last call that came to its end; they are read only when a test has failed."""

    def __init__(self, codec):
        self.codec, self.sent, self.answer = codec, None, None
        self._open = []

    def clear(self):
        self.sent = self.answer = None
        self._open = []

    def begin(self, text):
        self._open.append(text)

    def end(self, message):
        self.sent, self.answer = (self._open.pop() if self._open else None), message

    def counterexample(self):
        """{"call", "result"} as bounded text, or None."""
        if self.sent is None or self.answer is None or self.answer[0] not in (1, 2):
            return None
        try:
            sent = json.loads(self.sent)
            call = _Reader(self.codec, sent[-1]).call(sent)
            reader = _Reader(self.codec, self.answer[-1])
            value = self.answer[1]
            result = f"returns {reader.show(value)}" if self.answer[0] == 1 else f"raises {_raised(value)}"
        except Exception:  # noqa: BLE001 - what is not understood is not told
            return None
        return {"call": _bounded(call), "result": _bounded(result)}


class _Reader:
    """Shows encoded values; contents of shared objects come from the message, else from what was last sent."""

    def __init__(self, codec, heap):
        self.codec = codec
        self.heap = {number: (tag, text) for number, tag, text in heap}

    def call(self, sent):
        _kind, verb, subject, name, args, kwargs = sent[:6]
        shown = [self.show(item) for item in args[:MAX_ITEMS]] + [f"{key}={self.show(item)}" for key, item in list(kwargs.items())[:MAX_ITEMS]]
        target = {"f": name, "v": "the result"}.get(verb) or f"{self.show(subject)}.{name}"
        return f"{target}({', '.join(shown)})"

    def show(self, part, depth=0):
        if type(part) is not list:
            return repr(part)
        if depth > _MAX_DEPTH:
            return "..."
        tag, rest = part[0], part[1:]
        if tag == "@":
            tag, text = self.heap.get(rest[0]) or self._known(rest[0])
            rest = json.loads(text)
            rest = rest[1:] if tag in ("dq", "dd") else rest
        if tag in _BRACKETS:
            return self._items(_BRACKETS[tag], rest, depth)
        if tag in ("d", "od", "ct", "dd"):
            pairs = [f"{self.show(key, depth + 1)}: {self.show(item, depth + 1)}" for key, item in list(zip(rest[::2], rest[1::2]))[:MAX_ITEMS]]
            return "{" + ", ".join(pairs) + (", ..." if len(rest) > 2 * MAX_ITEMS else "") + "}"
        if tag in ("o", "N"):
            return f"{rest[1]}({', '.join(self.show(item, depth + 1) for item in rest[2:2 + MAX_ITEMS])})"
        if tag == "E":
            return f"{rest[1]}.{rest[2]}"
        if tag in ("H", "R", "F", "G", "K", "KX", "X", "XR", "EF"):
            return f"<{rest[3]}>" if tag == "H" and rest[1] == "i" else "<object>"
        value = self.codec.dec(part)
        return repr(value)

    def _known(self, number):
        kind = self.codec.kinds[number]
        return (kind if type(kind) is str else {"list": "l", "dict": "d", "set": "s"}.get(kind.__name__, "d")), self.codec.shadow[number]

    def _items(self, brackets, rest, depth):
        shown = ", ".join(self.show(item, depth + 1) for item in rest[:MAX_ITEMS])
        return brackets[0] + shown + (", ..." if len(rest) > MAX_ITEMS else "") + brackets[1]


def _raised(value):
    head = value[1][0] if value[0] == "X" else ["u", "the caller's exception"]
    return head[2] if head[0] == "k" else head[1] if head[0] == "b" else "an exception that the contract does not state"


def _bounded(text):
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT - 1]}…"
