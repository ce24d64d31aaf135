/**
 * Tests that compare the message of an error with one that no contract states (gate.md part 2): whoever writes the code cannot know it.
 * Where all that is red asks for such a message, nobody but the suite's author can mend it.
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { Failure, Frame } from '../../../schemas/runner-report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { suiteFrame, type SuiteWords } from '../suite/contradiction.ts';

const SHOWN_MAX = 100;
/** Fewer letters in a row are no message: a number of the input, a sign. */
const LETTERS = /\p{L}{3}/u;

interface Judged {
  readonly contract: ResolvedContract;
  readonly runs: readonly Execution[];
  readonly suiteWords?: (frame: Frame) => SuiteWords | null;
}

/** A finding for the first of them; none unless red tests are all that was found, and each is one. */
export function unstatedMessages(
  { contract, runs: [run], suiteWords }: Judged,
  found: readonly Finding[],
): readonly Finding[] {
  const isOnlyTests = found.length > 0 && found.every(({ code }) => code === 'test_failed');
  // What another node's contract states is not known here.
  const isAlone = contract.structural_deps.length === 0;
  if (run?.kind !== 'complete' || suiteWords === undefined || !isOnlyTests || !isAlone) return [];
  const stated = statedText(contract);
  const wanted = run.run.tests
    .filter((test) => test.outcome !== 'passed')
    .map(({ id, failure }) => {
      const frame = suiteFrame(failure?.frames ?? [], (file) => file === id.file);
      const text =
        failure === null ? null : wantedMessage(failure, frame === null ? null : suiteWords(frame));
      return { id, text: text !== null && isUnstated(text, stated) ? text : null };
    });
  const [first] = wanted;
  if (first === undefined || first.text === null || wanted.some(({ text }) => text === null)) return [];
  const shown = JSON.stringify(first.text.slice(0, SHOWN_MAX));
  const text = `The suite wants the message of an error to be ${shown}, which the contract does not state: no code can know it. Compare the type of the error, or a message that the contract says`;
  return [finding('message_unstated', 'L1', text, { testId: first.id })];
}

/** What a failed assertion wanted an error's message to be; null where it asked for something else. */
export function wantedMessage({ assertion, message }: Failure, words: SuiteWords | null): string | null {
  if (!assertion) return null;
  const match = /^\s*(?:Expected regex|Regex): r?(['"])(.*)\1$/mu.exec(message);
  if (match?.[2] !== undefined && message.startsWith('Regex pattern did not match')) return match[2];
  const statement = words?.statement ?? '';
  if (/\bassertRaisesRegex\(/u.test(statement))
    return /^(['"])(.*)\1 does not match /u.exec(message)?.[2] ?? null;
  if (/\b(?:throws|rejects)\(/u.test(statement)) return wantedOfScript(message);
  return words !== null && speaksOfMessage(words) ? (wantedOfScript(message) ?? literals(statement)) : null;
}

function wantedOfScript(message: string): string | null {
  const pattern = /^The input did not match the regular expression \/(.*)\/\w*\. Input:/u.exec(message);
  if (pattern?.[1] !== undefined) return pattern[1];
  const lines = message.split('\n').filter((line) => /^-\s/u.test(line));
  const texts = lines.map((line) => /^-\s+message: (['"`])(.*)\1,?$/u.exec(line)?.[2]);
  return lines.length === 1 ? (texts[0] ?? null) : null;
}

/** `str(caught.value)`, `error.message`: of an error that the test has caught. */
function speaksOfMessage({ statement, around }: SuiteWords): boolean {
  if (/\bstr\(\s*\w+\.(?:value|exception)\s*\)|\.(?:value|exception)\.args\b/u.test(statement)) return true;
  const [, name = ''] = /\bstr\(\s*(\w+)\s*\)|\b(\w+)\.message\b/u.exec(statement)?.filter(Boolean) ?? [];
  if (name === '') return false;
  return new RegExp(`\\bexcept\\b.*\\bas ${name}:|\\bcatch \\(${name}\\)|^\\(?${name}\\)? =>`, 'mu').test(
    around,
  );
}

function literals(statement: string): string | null {
  const found = [...statement.matchAll(/(['"`])((?:[^\\]|\\.)*?)\1/gu)].map((each) => each[2] ?? '');
  return found.length === 0 ? null : found.join(' | ');
}

/** True where it has words, and none of its pieces stands in the contract. */
function isUnstated(wanted: string, stated: string): boolean {
  const pieces = wanted
    .replace(/\\([^\p{L}\d])/gu, '$1')
    .split(/\\\w|[\^$*+?()[\]{}|]|\.\*|\.\+/u)
    .map((piece) => piece.trim().toLowerCase())
    .filter((piece) => LETTERS.test(piece));
  return pieces.length > 0 && pieces.every((piece) => !stated.includes(piece));
}

function statedText({ description, examples, interface: declared }: ResolvedContract): string {
  return JSON.stringify([description, examples, declared]).replaceAll('\\', '').toLowerCase();
}
