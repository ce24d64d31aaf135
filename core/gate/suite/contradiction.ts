/**
 * When a failed assertion of a suite denies an example of the contract (gate.md part 3). The code passes that example, so
 * nothing that a builder could write would satisfy both: the suite is wrong, and that is proven, not suspected.
 */
import type { Example } from '../../../schemas/contract.ts';
import type { Frame } from '../../../schemas/runner-report.ts';

/** What stands at a line of a suite, as written. */
export interface SuiteWords {
  /** The innermost statement that holds the line. */
  readonly statement: string;
  /** The test or helper around it. */
  readonly around: string;
}

/**
 * The example that the statement at a failed assertion denies, or null. It must be all that the statement asks of the exports,
 * and be asked once in its test: code with a memory may rightly answer a second call otherwise.
 */
export function deniedExample(
  words: SuiteWords | null,
  examples: readonly Example[],
  exportNames: readonly string[],
): string | null {
  if (words === null) return null;
  const statement = normalized(words.statement);
  const around = normalized(words.around);
  const asked = calls(statement, exportNames) > 0 ? statement : around;
  const example = examples.find(({ call }) => {
    const text = normalized(call);
    return occurrences(asked, text) > 0 && occurrences(around, text) === 1;
  });
  if (example === undefined) return null;
  const rest = asked.replaceAll(normalized(example.call), '');
  return calls(rest, exportNames) === 0 ? example.call : null;
}

/**
 * The same where the text of the call says nothing, as in a test of many parameters: `assert f(text) == value` was called as
 * `f('12.30')`, and that is an example. It must be the only call of its test, and what it gives must be all that is asked.
 */
export function deniedCall(
  words: SuiteWords | null,
  called: string,
  examples: readonly Example[],
  exportNames: readonly string[],
): string | null {
  if (words === null) return null;
  const call = normalized(called);
  const example = examples.find((each) => normalized(each.call) === call);
  if (example === undefined || !('returns' in example) || example.returns === null) return null;
  const [name = ''] = /^[\w$]+/u.exec(call) ?? [];
  const isOnly = (text: string): boolean =>
    calls(text, exportNames) === 1 && occurrences(text, `${name}(`) === 1;
  return isOnly(words.statement) && isOnly(body(words.around)) ? example.call : null;
}

/** Without the line that names it, which a decorator's parameters may stand in. */
function body(around: string): string {
  return around.slice(Math.max(0, around.search(/^\s*(?:async\s+)?def\b/mu)));
}

/** The innermost frame in a file of the suite. */
export function suiteFrame(frames: readonly Frame[], isSuite: (file: string) => boolean): Frame | null {
  return frames.findLast((frame) => isSuite(frame.file)) ?? null;
}

function calls(text: string, names: readonly string[]): number {
  return names.filter((name) => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}[(.]`, 'u').test(text))
    .length;
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Without spaces outside quotes, and with one kind of quotes. */
function normalized(text: string): string {
  return text
    .split(/('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/u)
    .map((part, index) => (index % 2 === 1 ? `'${part.slice(1, -1)}'` : part.replace(/\s+/gu, '')))
    .join('');
}
