/** Third-party packages are pinned exactly, because they become an image layer whose hash every report carries (gate.md part 1). */
import type { Language } from '../../schemas/ids.ts';
import { NODE_PIN, PYTHON_PIN } from '../../schemas/layer.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import { ecosystemOf, pinProblem } from '../layers/layer-spec.ts';
import { contractProblem, type ContractProblem } from './problem.ts';

const MODULE_PIN = /^([A-Za-z0-9][\w./-]*)@(v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)$/;

const SAMPLES: Readonly<Record<Language, string>> = {
  python: 'attrs==24.2.0',
  javascript: 'left-pad@1.3.0',
  typescript: 'left-pad@1.3.0',
  go: 'github.com/google/uuid@v1.6.0',
  rust: 'itoa@1.0.11',
};

/** Problems of a list of pins: the form of each. `subject` begins the message. */
export function checkPins(
  pins: readonly string[],
  language: Language,
  path: DocumentPath,
  subject: string,
): ContractProblem[] {
  return pins.flatMap((pin, index) => {
    const [reason, suggestion] = problemOf(pin, language);
    if (reason === null) return [];
    const message = `${subject} with this "requires": ${reason}`;
    return [contractProblem([...path, index], message, suggestion)];
  });
}

function problemOf(pin: string, language: Language): readonly [string | null, string] {
  const ecosystem = ecosystemOf(language);
  const sample = `Write it like "${SAMPLES[language]}"`;
  if (ecosystem === null) return [MODULE_PIN.test(pin) ? null : `"${pin}" must be one exact version`, sample];
  const problem = pinProblem(ecosystem, pin);
  return [problem?.reason ?? null, problem?.suggestion ?? sample];
}

/** Package name in its normal spelling and version, or null if the text is no exact pin. */
export function parsePin(pin: string, language: Language): { name: string; version: string } | null {
  const match = FORMS[language].exec(pin);
  const [name, version] = [match?.[1], match?.at(-1)];
  if (name === undefined || version === undefined) return null;
  return { name: language === 'python' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name, version };
}

const FORMS: Readonly<Record<Language, RegExp>> = {
  python: PYTHON_PIN,
  javascript: NODE_PIN,
  typescript: NODE_PIN,
  go: MODULE_PIN,
  rust: MODULE_PIN,
};
