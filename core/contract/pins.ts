/** Third-party packages are pinned exactly, because they become an image layer whose hash every report carries (gate.md part 1). */
import type { Language } from '../../schemas/ids.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import { contractProblem, type ContractProblem } from './problem.ts';

const VERSION = String.raw`v?\d+(?:\.\d+)*(?:[-.+]?[A-Za-z0-9]+(?:[-.+][A-Za-z0-9]+)*)?`;
const AT_PIN = new RegExp(`^((?:@[a-z0-9][\\w.-]*/)?[A-Za-z0-9][\\w.-]*(?:/[\\w.-]+)*)@(${VERSION})$`);
const PYTHON_PIN = new RegExp(`^([A-Za-z0-9][\\w.-]*)(?:\\[[\\w,. -]+\\])?==(${VERSION})$`);

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
    if (parsePin(pin, language) !== null) return [];
    const message = `${subject}: "requires" must be exact versions, current value is "${pin}"`;
    return [contractProblem([...path, index], message, `Write it like "${SAMPLES[language]}"`)];
  });
}

/** Package name in its normal spelling and version, or null if the text is no exact pin. */
export function parsePin(pin: string, language: Language): { name: string; version: string } | null {
  const match = (language === 'python' ? PYTHON_PIN : AT_PIN).exec(pin);
  const [, name, version] = match ?? [];
  if (name === undefined || version === undefined) return null;
  return { name: language === 'python' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name, version };
}
