/**
 * When a failed assertion of a suite denies an example of the contract (gate.md part 3). The code passes that example, so
 * nothing that a builder could write would satisfy both: the suite is wrong, and that is proven, not suspected.
 */
import type { Example } from '../../../schemas/contract.ts';
import type { Counterexample } from '../../../schemas/gate-wall.ts';
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
 * The same where the text of the call says nothing, as in a table of values: `assert f(text) == value` was called as `f('12.30')`, and
 * that is an example. The code must have given just what the example says, by the only call of the test that is written, and the
 * failed assertion must ask for that.
 */
export function deniedCall(
  words: SuiteWords | null,
  called: Counterexample,
  examples: readonly Example[],
  exportNames: readonly string[],
): string | null {
  if (words === null) return null;
  const call = normalized(called.call);
  const example = examples.find((each) => normalized(each.call) === call);
  if (example === undefined || !('returns' in example) || example.returns === null) return null;
  if (!answersOf(example.returns).includes(normalized(called.result))) return null;
  const [name = ''] = /^[\w$]+/u.exec(call) ?? [];
  const isOnly = (text: string): boolean =>
    calls(text, exportNames) === 1 && occurrences(text, `${name}(`) === 1;
  const asked = calls(words.statement, exportNames) > 0 ? words.statement : storing(words, name);
  return isOnly(asked) && !REPEATED.test(asked) && isOnly(body(words.around)) ? example.call : null;
}

/** The last call says nothing of the others that one statement makes. */
const REPEATED = /\bfor\b|\.(?:map|flatMap|filter|reduce|every|some|find\w*|from)\(|\b(?:map|filter)\(/u;

/** What Python and JavaScript show of a result. */
function answersOf(value: unknown): readonly string[] {
  const text = JSON.stringify(value);
  const python = text.replace(WORDS, (word) => PYTHON[word] ?? word);
  const script = text.replace(/"((?:[^"\\]|\\.)*)":/gu, '$1:');
  return [python, script].map((each) => normalized(`returns ${each}`));
}

const WORDS = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/gu;
const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** The line that keeps what the call gave under a name that the statement speaks of; empty where there is none. */
function storing({ statement, around }: SuiteWords, name: string): string {
  const line = new RegExp(
    `^.*?([\\w$]+)\\s*=\\s*(?:await\\s+)?${name.replaceAll('$', '\\$')}\\(.*$`,
    'mu',
  ).exec(around);
  const [text = '', kept = ''] = line ?? [];
  return kept !== '' && new RegExp(`(?<![\\w$])${kept.replaceAll('$', '\\$')}(?![\\w$])`, 'u').test(statement)
    ? text
    : '';
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
