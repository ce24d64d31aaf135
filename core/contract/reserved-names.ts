/** Names that a node must not take, because its language or its test runner already means something by them. */
import type { Language } from '../../schemas/ids.ts';

/** Words that cannot follow `import` or be a part of a dotted module name. */
const PYTHON_KEYWORDS = words(`
  and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield
`);

/** Top-level modules of Python 3 and of the runner: a folder of that name would hide them from everybody, pytest included. */
const PYTHON_MODULES = words(`
  abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins
  bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
  configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm
  decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp
  fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp
  gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools
  json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap
  modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode
  operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib
  posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri
  random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil
  signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse
  ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny
  tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace
  traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv
  warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib
  zoneinfo
  conftest pytest sitecustomize usercustomize
`);

/** Folders of the project that are not for code of nodes, in every language. */
const PROJECT_FOLDERS = words('tests node_modules');

/** Why a module path such as `['json', 'parser']` cannot be used, or null. Completes "Cannot use node ...: ". */
export function reservedProblem(language: Language, modulePath: readonly string[]): string | null {
  const [top] = modulePath;
  if (top !== undefined && PROJECT_FOLDERS.has(top)) return `"${top}" is a folder of the project itself`;
  if (language !== 'python') return null;
  const keyword = modulePath.find((part) => PYTHON_KEYWORDS.has(part));
  if (keyword !== undefined)
    return `"${keyword}" is a keyword of Python, so the module could not be imported`;
  if (top !== undefined && PYTHON_MODULES.has(top)) {
    return `a top-level "${top}" would hide the Python module of that name`;
  }
  return null;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
