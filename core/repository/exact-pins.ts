/** Exact versions that a repository names for its packages, for the plan that `gate init` writes. */
import { pinProblem } from '../layers/layer-spec.ts';
import type { LayerEcosystem } from '../../schemas/layer.ts';
import { PackageLock, PackageManifest } from '../../schemas/package-files.ts';

/** Files that name them, at the top of a repository. */
export const PIN_FILES = ['requirements.txt', 'package.json', 'package-lock.json'] as const;
export type PinFiles = Readonly<Partial<Record<(typeof PIN_FILES)[number], string>>>;

/** `leftOut`: without an exact version, or what the image has itself. */
export interface FoundPins {
  readonly pins: readonly string[];
  readonly leftOut: readonly string[];
}
export interface ExactPins {
  readonly python: FoundPins;
  readonly node: FoundPins;
  /** All that a lock file names, or a client chose. */
  readonly go?: readonly string[];
  readonly rust?: readonly string[];
}

const PINS_MAX = 100;
const NAME_CHARS_MAX = 60;

/** What the files pin. `parse` reads JSON and throws where it is none. */
export function exactPins(files: PinFiles, parse: (text: string) => unknown = JSON.parse): ExactPins {
  return {
    python: sorted('python', pythonLines(files['requirements.txt'] ?? '')),
    node: sorted('node', nodePins(files, parse)),
  };
}

/** Requirements without comments, options and what is said of platforms and hashes. */
function pythonLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n/gu, ' ')
    .split('\n')
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/u, '')
        .replace(/\s--hash=\S+/gu, '')
        .trim(),
    )
    .filter((line) => line !== '' && !line.startsWith('-'))
    .map((line) => line.replace(/\s*==\s*/u, '=='));
}

/** The version that the lock file has, else the one of the manifest. */
function nodePins(files: PinFiles, parse: (text: string) => unknown): string[] {
  const manifest = PackageManifest.parse(attempt(parse, files['package.json']));
  const locked = PackageLock.parse(attempt(parse, files['package-lock.json'])).packages;
  const wanted = { ...manifest.devDependencies, ...manifest.dependencies };
  return Object.entries(wanted).map(
    ([name, version]) => `${name}@${locked[`node_modules/${name}`]?.version ?? version}`,
  );
}

function sorted(ecosystem: LayerEcosystem, found: readonly string[]): FoundPins {
  const isExact = (pin: string): boolean => pinProblem(ecosystem, pin) === null;
  return {
    pins: [...new Set(found.filter(isExact))].slice(0, PINS_MAX),
    leftOut: found
      .filter((pin) => !isExact(pin))
      .map(shownName)
      .slice(0, PINS_MAX),
  };
}

/** It goes into a comment: one line of harmless characters. */
function shownName(pin: string): string {
  return pin.replaceAll(/[^\w@./<>=~^*,;:+ -]/gu, '?').slice(0, NAME_CHARS_MAX);
}

function attempt(parse: (text: string) => unknown, text: string | undefined): unknown {
  try {
    return parse(text ?? '{}');
  } catch {
    return {};
  }
}
