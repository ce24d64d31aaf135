"""Which declared exports a test called or read, as evidence of what it tests (gate.md part 12). Told of the judged node alone."""


class Called:
    """`now` are the names of the running test: `name`, `Class`, `Class.member`."""

    def __init__(self, module):
        self.module, self.known, self.now = module, {}, None

    def begin(self):
        self.now = set()

    def told(self):
        return sorted(name[:300] for name in self.now or ())[:500]

    def note(self, verb, subject, name):
        """A call or a reading that crosses."""
        key = (verb, subject if type(subject) is str or isinstance(subject, type) else type(subject), name)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = tuple(self._names(verb, subject, name))
        self._add(found)

    def note_class(self, cls):
        """An instance that the suite built, or that came across."""
        found = self.known.get(cls)
        if found is None:
            found = self.known[cls] = tuple(self._classes(cls))
        self._add(found)

    def _add(self, names):
        # What runs while files are collected is no test, and pytest itself looks at what they import.
        if self.now is not None:
            self.now.update(names)

    def _names(self, verb, subject, name):
        if verb == "f" or (verb == "get" and type(subject) is str):
            return (name, name.split(".")[0]) if subject == self.module else ()
        if verb == "u":
            module, _, path = name.partition(":")
            return (path, path.split(".")[0]) if module == self.module else ()
        if verb not in ("m", "get", "set", "del", "v"):
            return ()
        owners = self._classes(subject if isinstance(subject, type) else type(subject))
        return [each for owner in owners for each in (owner, f"{owner}.{name}")]

    def _classes(self, cls):
        places = [base.__dict__.get("_a7_class") for base in cls.__mro__]
        return [place[1] for place in places if place is not None and place[0] == self.module]
