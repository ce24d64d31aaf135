"""Files that are never half written."""

import os
import tempfile


def write_output(path: str, text: str) -> None:
    data = text.encode("utf-8")
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(data)
            target.flush()
            os.fsync(target.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
