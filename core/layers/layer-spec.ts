/**
 * Which packages a layer holds, decided from pins alone. Resolving them is the adapter's.
 * L1. Only exact pins may stand in a spec: what a pin means cannot change later.
 * L2. The same pins in any order and spelling give the same spec.
 */
import type { Language } from '../../schemas/ids.ts';
import {
  CRATE_PIN,
  DEBIAN_PIN,
  GO_PIN,
  type LayerSpec,
  NODE_PIN,
  PYTHON_PIN,
  LayerEcosystem,
  type LayerLock,
} from '../../schemas/layer.ts';
import { canonicalJson } from '../text/canonical.ts';

export const EMPTY_SPEC: LayerSpec = { python: [], node: [], debian: [] };

/** The runner is part of the image: another one would change what a verdict means. */
export const RUNNER_PACKAGES: ReadonlySet<string> = new Set(['pytest', 'pluggy', 'py']);

/** A text that cannot be part of a layer. */
export interface PinProblem {
  readonly ecosystem: LayerEcosystem;
  readonly pin: string;
  readonly reason: string;
  readonly suggestion: string;
}

/**
 * Why a text cannot be part of a layer; null if it can.
 * @param mayRun whether it may be a test runner: a repository's own suite is judged with the runner that its plan names
 */
export function pinProblem(ecosystem: LayerEcosystem, pin: string, mayRun = false): PinProblem | null {
  const { pattern, sample } = FORMS[ecosystem];
  if (!pattern.test(pin)) {
    const reason = `"${pin.slice(0, 200)}" must be ${wantedForm(ecosystem)}, not ${wrongForm(pin)}`;
    return { ecosystem, pin, reason, suggestion: `Write it like "${sample}"` };
  }
  const name = ecosystem === 'python' ? pythonName(pin) : '';
  if (mayRun || !RUNNER_PACKAGES.has(name)) return null;
  const reason = `"${pin}" cannot be in a layer: the test runner is pinned in the image`;
  return { ecosystem, pin, reason, suggestion: 'Leave it out: every suite runs in the pinned runner' };
}

/** Pins by ecosystem; what is not named has none. */
export type Pins = Readonly<Partial<Record<LayerEcosystem, readonly string[] | undefined>>>;

/** Sorted, without repeats, Python names in their normal spelling (L2). */
export function normalSpec(spec: Pins): LayerSpec {
  const sorted = (pins: readonly string[] = []): string[] => [...new Set(pins)].toSorted();
  const [go, rust] = [sorted(spec.go), sorted(spec.rust)];
  return {
    python: sorted(spec.python?.map(normalPython)),
    node: sorted(spec.node),
    debian: sorted(spec.debian),
    ...(go.length === 0 ? {} : { go }),
    ...(rust.length === 0 ? {} : { rust }),
  };
}

/** All pins of several lists together. */
export function joinedSpec(specs: readonly Pins[]): LayerSpec {
  const all = (ecosystem: LayerEcosystem): readonly string[] =>
    specs.flatMap((spec) => spec[ecosystem] ?? []);
  return normalSpec(Object.fromEntries(ECOSYSTEMS.map((ecosystem) => [ecosystem, all(ecosystem)])));
}

export function isEmptySpec(spec: LayerSpec): boolean {
  return ECOSYSTEMS.every((ecosystem) => (spec[ecosystem] ?? []).length === 0);
}

/** Which registry a language's `requires` come from; null where there is none yet. */
export function ecosystemOf(language: Language): LayerEcosystem | null {
  switch (language) {
    case 'python':
      return 'python';
    case 'javascript':
    case 'typescript':
      return 'node';
    case 'go':
    case 'rust':
      return null;
  }
}

/** Text whose hash is the layer's: spec, base image and the hash of each archive. Notes are not part of it. */
export function layerHashText({ version, spec, base, packages }: Omit<LayerLock, 'hash' | 'notes'>): string {
  return canonicalJson({ version, spec, base, packages });
}

const IMAGE_NAME = 'a7-rt/layered';
const HASH_DIGITS = 24;

/** Image tag of base and layer together: the same in both backends. */
export function layerImageTag(hash: string): string {
  return `${IMAGE_NAME}:${layerFolderName(hash)}`;
}

/** Name of a layer's folder in the cache: 24 hex digits of its hash. */
export function layerFolderName(hash: string): string {
  return hash.replace('sha256:', '').slice(0, HASH_DIGITS);
}

/** Folder name of a layered image's tag; null for any other image. */
export function layerOfTag(tag: string): string | null {
  const match = /^a7-rt\/layered:([0-9a-f]{24})$/.exec(tag);
  return match?.[1] ?? null;
}

const ECOSYSTEMS: readonly LayerEcosystem[] = LayerEcosystem.options;

const FORMS: Readonly<Record<LayerEcosystem, { readonly pattern: RegExp; readonly sample: string }>> = {
  python: { pattern: PYTHON_PIN, sample: 'attrs==24.2.0' },
  node: { pattern: NODE_PIN, sample: 'ms@2.1.3' },
  debian: { pattern: DEBIAN_PIN, sample: 'golang-go' },
  go: { pattern: GO_PIN, sample: 'example.org/a/b@v1.2.3' },
  rust: { pattern: CRATE_PIN, sample: 'libc@0.2.150' },
};

function wantedForm(ecosystem: LayerEcosystem): string {
  return ecosystem === 'debian' ? 'a package name or name=version' : 'one exact version';
}

function wrongForm(pin: string): string {
  if (/^(git|hg|svn|bzr)\b|\bgit\+|\.git(#|$)/.test(pin)) return 'a repository';
  if (/^[\w+.-]+:\/\//.test(pin) || / @ /.test(pin)) return 'a URL';
  if (/^[./~]|^file:|[\\]/.test(pin)) return 'a path';
  if (/[<>^~*]|!=|\bx\b|latest|\|\|/.test(pin)) return 'a range';
  return 'a bare or unreadable version';
}

function pythonName(pin: string): string {
  return normalName(PYTHON_PIN.exec(pin)?.[1] ?? '');
}

function normalPython(pin: string): string {
  const [, name = '', extras = '', version = ''] = PYTHON_PIN.exec(pin) ?? [];
  return `${normalName(name)}${extras.toLowerCase()}==${version}`;
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
