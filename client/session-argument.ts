/**
 * The session of the current folder: `a7-rt status` inside `shop/content` means `shop`. Commands name the session first, so it is
 * put there where the first word is missing, a flag, or no folder.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';

/** Where a command takes its session: 0 is the first word behind its name. */
export type SessionPlaces = ReadonlyMap<string, number>;

/** Commands that take verdicts by name, too, and a session before them. */
const NAMED_OTHERWISE: readonly string[] = ['report', 'verify'];

/** Of each command that takes one; `init` makes one and is not among them. */
export function sessionPlaces(program: Command): SessionPlaces {
  const placed = program.commands.flatMap((command): (readonly [string, number])[] => {
    const at = command.registeredArguments.findIndex((argument) => argument.name() === 'session');
    return at === -1 || command.name() === 'init' ? [] : [[command.name(), at]];
  });
  return new Map([...NAMED_OTHERWISE.map((name) => [name, 0] as const), ...placed]);
}

/** The words with the session put in, or as they are. */
export function withSession(argv: readonly string[], cwd: string, places: SessionPlaces): readonly string[] {
  const place = places.get(argv[0] ?? '');
  if (place === undefined || isAboutUse(argv)) return argv;
  const at = place + 1;
  const word = argv[at];
  if (argv.length < at || (word !== undefined && !word.startsWith('-') && isFolder(join(cwd, word), word)))
    return argv;
  const found = enclosing(cwd);
  return found === null ? argv : [...argv.slice(0, at), relative(cwd, found) || '.', ...argv.slice(at)];
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
