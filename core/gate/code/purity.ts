/**
 * Code of a pure stage asks the world for nothing: no file, network, process, clock, chance or output (design part 8, seed 000).
 *  P1. What its sources call is read by the names that their imports give (L0). What it does all the same is seen as it runs (L1).
 *  P2. Where it runs in plain it can read its suite: of what was seen there a builder is told the kind alone, never a name or a line.
 */
import type { CalledName } from '../../ports/symbols.ts';
import type { Language } from '../../../schemas/ids.ts';
import type { Finding } from '../../../schemas/report.ts';
import { Impurity, type ImpureCall } from '../../../schemas/runner-report.ts';
import { counted } from '../../text/plural.ts';
import { finding } from '../finding.ts';
import type { OwnFiles } from './outcome-class.ts';

/** The first row that fits decides; what fits none only computes. */
type Table = readonly (readonly [Impurity, RegExp])[];

const PYTHON: Table = [
  ['output', /^(?:print|input|breakpoint)$|^sys\.(?:stdout|stderr|stdin)\.\w+$/u],
  [
    'randomness',
    /^random\.(?:[a-z]\w*|SystemRandom)$|^secrets\.\w+$|^os\.(?:urandom|getrandom)$|^uuid\.uuid[14]$/u,
  ],
  [
    'clock',
    /^time\.(?:time|monotonic|perf_counter|process_time|thread_time|clock_gettime)(?:_ns)?$|^time\.sleep$/u,
  ],
  ['clock', /^datetime\.(?:datetime\.(?:now|utcnow|today)|date\.today)$/u],
  [
    'network',
    /^(?:socket|socketserver|ssl|http\.client|http\.server|urllib\.request|ftplib|smtplib|poplib|imaplib)\.\w/u,
  ],
  ['network', /^asyncio\.(?:open_connection|open_unix_connection|start_server)$/u],
  [
    'process',
    /^(?:subprocess|multiprocessing|signal|pty|resource|getpass|webbrowser|atexit)\.\w|^sys\.exit$/u,
  ],
  [
    'process',
    /^threading\.(?:Thread|Timer)$|^ctypes\.(?:CDLL|PyDLL|cdll\.\w+)$|^asyncio\.(?:run|create_subprocess_\w+)$/u,
  ],
  [
    'process',
    /^os\.(?:system|popen|fork\w*|exec\w+|spawn\w+|posix_spawnp?|kill|killpg|getp?pid|getenv|putenv|unsetenv|_exit|abort)$/u,
  ],
  ['process', /^os\.(?:environ\.\w+|cpu_count|getlogin|uname|times|wait\w*)$/u],
  [
    'file',
    /^(?:open|io\.open|io\.FileIO)$|^(?:shutil|tempfile|glob|mmap|fcntl|sqlite3|dbm|fileinput)\.\w|^pathlib\.Path\.(?:cwd|home)$/u,
  ],
  [
    'file',
    /^os\.path\.(?:l?exists|is(?:file|dir|link|mount)|get(?:size|[amc]time)|abspath|realpath|expanduser|samefile)$/u,
  ],
  [
    'file',
    /^os\.(?:open|listdir|scandir|l?stat|f?walk|mkdir|makedirs|remove(?:dirs)?|unlink|rename|replace|rmdir|chdir|getcwd)$/u,
  ],
  ['file', /^os\.(?:access|chmod|chown|link|symlink|readlink|truncate|utime|read|write|close|pipe)$/u],
];

const ECMA: Table = [
  ['output', /^console\.\w+$|^process\.(?:stdout|stderr|stdin)\.\w+$/u],
  [
    'randomness',
    /^Math\.random$|^crypto\.(?:webcrypto\.)?(?:random\w*|getRandomValues|generateKey\w*|generatePrime\w*)$/u,
  ],
  [
    'clock',
    /^Date(?:\.now)?$|^performance\.now$|^process\.(?:hrtime(?:\.bigint)?|uptime)$|^AbortSignal\.timeout$/u,
  ],
  ['clock', /^(?:timers\.|timers\/promises\.)?set(?:Timeout|Interval)$/u],
  [
    'network',
    /^(?:new )?(?:net|tls|dgram|dns|dns\/promises|http|https|http2)\.(?!isIP)\w|^fetch$|^new (?:WebSocket|EventSource)$/u,
  ],
  ['process', /^(?:new )?(?:child_process|cluster|worker_threads|os|inspector|repl)\.\w/u],
  ['process', /^process\.(?:abort|chdir|cpuUsage|cwd|dlopen|exit|getuid|kill|memoryUsage|umask)$/u],
  ['file', /^(?:new )?(?:fs|fs\/promises|readline|sqlite)\.\w/u],
];

/** These ask the clock, or chance, where they are given too little: the name, and how many arguments are enough. */
const UNLESS_GIVEN: Readonly<Record<string, readonly [Impurity, number]>> = {
  'random.Random': ['randomness', 1],
  'time.localtime': ['clock', 1],
  'time.gmtime': ['clock', 1],
  'time.ctime': ['clock', 1],
  'time.asctime': ['clock', 1],
  'time.strftime': ['clock', 2],
  'new Date': ['clock', 1],
};

const WORDS: Readonly<Record<Impurity, readonly [asks: string, instead: string]>> = {
  file: ['asks for files', 'take their content as an argument'],
  network: ['asks for the network', 'take what comes from it as an argument'],
  process: ['asks for its process or starts another', 'take what it needs as an argument'],
  clock: ['asks for the time', 'take the time as an argument'],
  randomness: ['asks for chance', 'take numbers, a seed or a generator as an argument'],
  output: ['prints or reads the terminal', 'return the text'],
};

/** Calls that stand in the sources, for example `time.time()`: one finding for each line. */
export function impureSources(
  language: Language,
  sources: readonly { readonly path: string; readonly calls: readonly CalledName[] }[],
): Finding[] {
  return sources.flatMap(({ path, calls }) =>
    calls.flatMap((call) => {
      const what = impurityOf(language, call);
      if (what === null) return [];
      const [asks, instead] = WORDS[what];
      const text = `A node of a pure stage may not ask the world for anything: line ${call.line} of ${path} ${asks} (${call.name}); ${instead}`;
      return [finding('impure', 'L0', text, { place: { file: path, line: call.line } })];
    }),
  );
}

/** What was seen as the code ran: one finding for each kind, with its first place. Kinds that the sources have shown are not told twice. */
export function impureRuns(
  calls: readonly ImpureCall[],
  ownFiles: OwnFiles,
  known: readonly Finding[],
): Finding[] {
  return Impurity.options.flatMap((what) => {
    const [asks] = WORDS[what];
    const seen = calls.filter((call) => call.what === what && isPlace(call, ownFiles));
    const [first, ...more] = seen.filter(
      ({ file, line }) => !known.some(({ place }) => place?.file === file && place.line === line),
    );
    if (first === undefined) return [];
    const { file, line, name, by } = first;
    const way = by === null ? name : `${name}, by way of ${by}`;
    const others = more.length === 0 ? '' : `, and ${counted(more.length, 'other line')}`;
    const text = `A node of a pure stage may not ask the world for anything: as it ran, line ${line} of ${file} ${asks} (${way})${others}`;
    return [finding('impure_run', 'L1', text, { place: { file, line }, impurity: what })];
  });
}

/** What a builder is told of a finding of a run (P2). */
export function impureNote(what: Impurity): string {
  const [asks, instead] = WORDS[what];
  return `Your code ${asks} as it runs, directly or by a library; its stage is pure: ${instead}`;
}

function impurityOf(language: Language, { name, argCount, keywords }: CalledName): Impurity | null {
  const [kind, enough] = UNLESS_GIVEN[name] ?? [null, 0];
  if (kind !== null) return argCount < enough ? kind : null;
  // `print(x, file=buffer)` writes where it is told to.
  if (name === 'print' && keywords.includes('file')) return null;
  const table = language === 'python' ? PYTHON : ECMA;
  return table.find(([, names]) => names.test(name))?.[0] ?? null;
}

function isPlace({ file, line }: ImpureCall, ownFiles: OwnFiles): boolean {
  return line >= 1 && line <= (ownFiles.get(file) ?? 0);
}
