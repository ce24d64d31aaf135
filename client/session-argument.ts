/**
 * The session of the current folder: `a7-rt status` inside `shop/content` means `shop`. Commands name the session first, so it is
 * put there where the first word is missing, a flag, or no folder.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Commands whose first word is a session; `init` makes one and is not among them. */
const OF_A_SESSION: ReadonlySet<string> = new Set([
  'act',
  'board',
  'challenge',
  'config',
  'graph',
  'halt',
  'input',
  'models',
  'narrative',
  'report',
  'run',
  'seed',
  'status',
  'verify',
  'why',
  'worker',
]);

/** The words with the session put in, or as they are. */
export function withSession(argv: readonly string[], cwd: string): readonly string[] {
  const [command = '', first] = argv;
  if (!OF_A_SESSION.has(command) || isAboutUse(argv)) return argv;
  if (first !== undefined && !first.startsWith('-') && isFolder(join(cwd, first), first)) return argv;
  const found = enclosing(cwd);
  return found === null ? argv : [command, relative(cwd, found) || '.', ...argv.slice(1)];
}

function isAboutUse(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

function isFolder(path: string, word: string): boolean {
  return isDirectory(word.startsWith('/') ? word : path) || word.includes('/');
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The nearest folder upwards that is a session. */
function enclosing(cwd: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.a7', 'session.json'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}
