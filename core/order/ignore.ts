/**
 * Which new files of an agent's room are no work: what `.gitignore` names, and what tools leave behind. Only ever asked about
 * files that the base does not track, as git does. A file that is ignored is in no snapshot, hence never judged.
 */

/** One line of a `.gitignore`. */
interface IgnoreRule {
  readonly pattern: RegExp;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

export interface IgnoreFile {
  /** Folder with the file, `` for the top. */
  readonly folder: string;
  readonly text: string;
}

/** Left by runners and package managers in every project; nobody commits them. */
const LEFT_BEHIND = [
  '__pycache__/',
  '*.pyc',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  'node_modules/',
  '.venv/',
  '.aider*',
  '.DS_Store',
].join('\n');

const RULES_MAX = 2_000;
const RULE_CHARS_MAX = 300;

/** True for a path that is ignored. Files of deeper folders win, later lines win. */
export function ignoreTest(files: readonly IgnoreFile[]): (path: string) => boolean {
  const sets = [{ folder: '', text: LEFT_BEHIND }, ...files]
    .toSorted((a, b) => a.folder.length - b.folder.length)
    .map(({ folder, text }) => ({ prefix: folder === '' ? '' : `${folder}/`, rules: rulesOf(text) }));
  const isIgnored = (path: string, isFolder: boolean): boolean => {
    let ignored = false;
    for (const { prefix, rules } of sets) {
      if (!path.startsWith(prefix)) continue;
      const own = path.slice(prefix.length);
      for (const rule of rules)
        if ((isFolder || !rule.foldersOnly) && rule.pattern.test(own)) ignored = !rule.negated;
    }
    return ignored;
  };
  return (path) => {
    const parts = path.split('/');
    for (let length = 1; length < parts.length; length += 1)
      if (isIgnored(parts.slice(0, length).join('/'), true)) return true;
    return isIgnored(path, false);
  };
}

function rulesOf(text: string): IgnoreRule[] {
  const lines = text.split(/\r?\n/).slice(0, RULES_MAX);
  return lines.flatMap((line) => {
    const trimmed = line.replace(/(?<!\\)\s+$/, '');
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.length > RULE_CHARS_MAX) return [];
    const negated = trimmed.startsWith('!');
    const body = negated ? trimmed.slice(1) : trimmed;
    const foldersOnly = body.endsWith('/');
    const glob = body.replace(/\/$/, '').replace(/^\\(?=[#!])/, '');
    const anchored = glob.includes('/');
    const pattern = patternOf(glob.replace(/^\//, ''));
    return [{ pattern: new RegExp(`^${anchored ? '' : '(?:[^/]+/)*'}${pattern}$`), negated, foldersOnly }];
  });
}

/** Without nested repetition, so that no pattern takes more than polynomial time on a path of at most 1,024 bytes. */
function patternOf(glob: string): string {
  let out = '';
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at] ?? '';
    if (glob.startsWith('**/', at)) {
      out += '(?:.*/)?';
      at += 2;
    } else if (glob.startsWith('/**', at) && at + 3 === glob.length) {
      out += '/.+';
      at += 2;
    } else if (char === '*') {
      while (glob[at + 1] === '*') at += 1;
      out += '[^/]*';
    } else if (char === '?') out += '[^/]';
    else if (char === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) out += '\\[';
      else {
        out += `[${glob
          .slice(at + 1, end)
          .replace(/^!/, '^')
          .replace(/[\\[\]]/g, '\\$&')}]`;
        at = end;
      }
    } else if (char === '\\') {
      at += 1;
      out += escaped(glob[at] ?? '\\');
    } else out += escaped(char);
  }
  return out;
}

function escaped(char: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char;
}
