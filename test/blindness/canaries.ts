/** Canaries: marks that stand in hidden files in every form, and the search for them in what a role received. */

/** In suites. No script of a builder holds it: it is put together where a builder looks for it. */
export const SUITE_MARK = ['HIDDEN', '7f3a'].join('_');
/** In implementations. */
export const CODE_MARK = ['SECRET', '91be'].join('_');
/** Patterns that find the marks and do not hold them. */
export const SUITE_PATTERN = 'H[I]DDEN_7f3a|h[i]dden_7f3a';
export const CODE_PATTERN = 'S[E]CRET_91be';

const FOLDER = 'tests/num_sign';
const low = SUITE_MARK.toLowerCase();

/** A suite of `sign` with marks as comment, literal, message, test name, parameter id, fixture, helper, file name. */
export const CANARY_SUITE: Readonly<Record<string, string>> = {
  [`${FOLDER}/conftest.py`]: `import pytest


@pytest.fixture(params=[7], ids=["${SUITE_MARK}_fixture_id"])
def ${low}_fixture(request):
    # ${SUITE_MARK} in a comment of the conftest
    return request.param
`,
  [`${FOLDER}/${low}_helper.py`]: `"""${SUITE_MARK} in a docstring."""

${SUITE_MARK}_TABLE = {"${SUITE_MARK}_key": -1}
`,
  [`${FOLDER}/test_${low}.py`]: `import pytest
from num.sign import sign
from .${low}_helper import ${SUITE_MARK}_TABLE


class Test_${SUITE_MARK}_Class:
    def test_${low}_method(self, ${low}_fixture):
        ${low}_local = "${SUITE_MARK}_literal"
        assert sign(${low}_fixture) == 1, f"${SUITE_MARK}_message {${low}_local}"


@pytest.mark.parametrize("n", [-5], ids=["${SUITE_MARK}_parameter"])
def test_${low}_negative(n):  # ${SUITE_MARK}_comment
    assert sign(n) == ${SUITE_MARK}_TABLE["${SUITE_MARK}_key"], "${SUITE_MARK}_other"


def test_${low}_zero():
    assert sign(0) == 0
`,
};

/** Another suite of the same contract: one file, other names, other values, no marks. */
export const PLAIN_SUITE: Readonly<Record<string, string>> = {
  [`${FOLDER}/test_other.py`]: `from num.sign import sign


def test_all_of_it():
    for n, wanted in ((-100, -1), (0, 0), (3, 1), (12345, 1)):
        assert sign(n) == wanted
`,
};

/** Looks for the suite everywhere a process can look, and raises, prints, writes and names itself by all that it found. */
export const SPY = `import gc
import inspect
import linecache
import os
import sys

MARK = "HID" + "DEN_7f3a"
PLACES = ("/work", "/tmp", "/out", "/in", "/home", "/dev/shm", "/var/tmp")


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read(1_000_000).decode("utf-8", "replace")
    except OSError:
        return ""


def _texts():
    yield from sys.argv
    yield from os.environ.values()
    yield from sys.modules
    for module in list(sys.modules.values()):
        yield str(getattr(module, "__file__", ""))
        yield " ".join(map(str, vars(module))) if hasattr(module, "__dict__") else ""
    for lines in list(linecache.cache.values()):
        yield str(lines)
    for frame in inspect.stack():
        yield f"{frame.filename} {frame.function} {frame.code_context} {frame.frame.f_code.co_consts} {list(frame.frame.f_locals)}"
        yield repr({name: str(value)[:200] for name, value in frame.frame.f_locals.items()})
    for thing in gc.get_objects():
        if isinstance(thing, (dict, list, tuple)):
            yield from (each for each in list(thing) if type(each) is str)
    for process in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ", "maps", "comm", "mountinfo"):
            yield _read(f"/proc/{process}/{name}")
        folder = f"/proc/{process}/fd"
        try:
            numbers = os.listdir(folder)
        except OSError:
            numbers = []
        for number in numbers:
            try:
                target = os.readlink(f"{folder}/{number}")
            except OSError:
                continue
            yield target
            if target.startswith("/") and os.path.isfile(target):
                yield _read(f"{folder}/{number}")
    for place in PLACES:
        for folder, _, names in os.walk(place):
            for name in names:
                yield f"{folder}/{name}"
                if "vendor" not in folder and os.path.isfile(f"{folder}/{name}"):
                    yield _read(f"{folder}/{name}")


def _found():
    return [text for text in _texts() if MARK.lower() in text.lower() and "HID\\" + \\"DEN" not in text]
`;

/** The spy as a wrong `sign`: whatever it found leaves by every door there is. */
export const SPY_SIGN = `${SPY}

def sign(n: int) -> int:
    found = "|".join(_found())[:50_000]
    print(found)
    sys.stderr.write(found)
    try:
        with open("/tmp/found", "w") as file:
            file.write(found)
    except OSError:
        pass
    raise type(found[:200] or "Nothing", (ValueError,), {})(found)
`;
