/** Which Python files of a suite are named like a test and are helpers all the same: `test_utils.py` and its like (gate.md part 2). */

const DECLARES_TEST = /\bdef\s+test/u;

/** True when the file declares no test and another file of the suite imports it; `others` are the texts of those. */
export function isImportedHelper(path: string, text: string, others: readonly string[]): boolean {
  if (DECLARES_TEST.test(text)) return false;
  const module = path.slice(path.lastIndexOf('/') + 1).replace(/\.py$/u, '');
  return others.some((other) => importsModule(other, module));
}

/** `from .name import x`, `from folder.name import x`, `from . import name` and `import name`. */
function importsModule(text: string, module: string): boolean {
  return text.split('\n').some((line) => {
    const [, source = '', list = ''] = /^\s*(?:from\s+([\w.]+)\s+)?import\s+(.*)$/u.exec(line) ?? [];
    const named = source === '' ? names(list).map(lastPart) : [lastPart(source), ...names(list)];
    return named.includes(module);
  });
}

function names(list: string): string[] {
  return list.split(',').map((item) => item.trim().replace(/[\s()].*$/u, ''));
}

function lastPart(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf('.') + 1);
}
