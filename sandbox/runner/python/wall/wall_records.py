"""Logs and warnings of the code, given once more on the suite's side, where the suite listens (gate.md part 10)."""

MAX_TEXT = 20_000
_PLAIN = (type(None), bool, int, float, str)
# Attributes that every record has by itself.
_OWN = frozenset((
    "name msg args levelname levelno pathname filename module exc_info exc_text stack_info lineno funcName created msecs relativeCreated "
    "thread threadName processName process taskName message asctime"
).split())  # fmt: skip


class Levels:
    """Levels that the suite gives to loggers."""

    def __init__(self):
        import logging

        self.logging, self.known = logging, None

    def changed(self):
        """{name: level} of all that have one, "" being the root, and under None what is disabled; None where nothing has changed."""
        manager = self.logging.root.manager
        now = {"": self.logging.root.level, "\0": manager.disable}
        for name, logger in list(manager.loggerDict.items()):
            if isinstance(logger, self.logging.Logger) and logger.level:
                now[name] = logger.level
        if now == self.known:
            return None
        self.known = now
        return now


def log_again(entry, dec):
    """A record of the other side, handled by the suite's logger of that name."""
    import logging

    name, level, text, args, message, error, extra = entry
    if not (type(name) is type(text) is type(message) is str and type(level) is int and type(args) is list and type(extra) is dict):
        raise ValueError("a record that is none")
    if not all(type(item) in _PLAIN for item in [*args, *extra.values()]):
        raise ValueError("a record that is none")
    error = dec(error) if error is not None else None
    logger = logging.getLogger(name) if name else logging.getLogger()
    info = (type(error), error, None) if isinstance(error, BaseException) else None
    record = logger.makeRecord(logger.name, level, "", 0, text, tuple(args), info)
    # Formatted where it was written: here its directions are nobody's to follow.
    record.getMessage = lambda: message
    for key, value in extra.items():
        if key not in _OWN and not key.startswith("_"):
            record.__dict__[key] = value
    logger.handle(record)


def warn_again(warning):
    """Warns as the code did; what the suite has made an error is raised here."""
    import warnings

    if not isinstance(warning, Warning):
        raise ValueError("a warning that is none")
    warnings.warn_explicit(warning, None, "<code>", 1, registry={})


class Recorder:
    """The builder's side: keeps what the code logs and warns until the next message."""

    def __init__(self, codec, topics):
        self.codec, self.logs, self.warnings, self.levels = codec, [], [], {}
        if "logs" in topics:
            self._listen()
        if "warnings" in topics:
            import warnings

            warnings.simplefilter("always")
            warnings.showwarning = self._warned

    def _listen(self):
        import logging

        recorder = self

        class Forward(logging.Handler):
            def emit(self, record):
                recorder.logs.append(recorder.entry(record))

        logging.getLogger().addHandler(Forward())

    def entry(self, record):
        args = record.args if type(record.args) is tuple and all(type(item) in _PLAIN for item in record.args) else None
        message = record.getMessage()[:MAX_TEXT]
        text = str(record.msg) if args is not None else message
        extra = {key: value for key, value in vars(record).items() if key not in _OWN and type(value) in _PLAIN}
        error = record.exc_info[1] if record.exc_info else None
        return [record.name if record.name != "root" else "", record.levelno, text[:MAX_TEXT], list(args or ()), message,
                self.codec.exception(error) if isinstance(error, BaseException) else None, extra]  # fmt: skip

    def _warned(self, message, category, filename, lineno, file=None, line=None):
        self.warnings.append(self.codec.exception(message if isinstance(message, Warning) else category(message)))

    def set_levels(self, told):
        """Levels of the suite; what it takes back is again what the code had."""
        import logging

        logging.disable(told.pop("\0", 0))
        for name in [name for name in self.levels if name not in told]:
            logging.getLogger(name).setLevel(self.levels.pop(name))
        for name, level in told.items():
            logger = logging.getLogger(name) if name else logging.getLogger()
            if name:
                self.levels.setdefault(name, logger.level)
            logger.setLevel(level)

    def take(self):
        """{"logs", "warnings"} since the last time."""
        found = {name: list(getattr(self, name)) for name in ("logs", "warnings") if getattr(self, name)}
        self.logs.clear()
        self.warnings.clear()
        return found
