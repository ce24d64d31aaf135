/** Exact versions for what a repository asks for: those that it pins itself, and the registries' choice for the rest. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExactPins, exactPins, PIN_FILES, type PinFiles } from '../../../core/repository/exact-pins.ts';
import { RUNNER_PACKAGES } from '../../../core/layers/layer-spec.ts';
import { normalName } from '../../../core/repository/understand/requirement.ts';
import type { UnderstoodProject } from '../../../core/repository/understand/understood.ts';
import type { WantedPackages } from '../../../core/ports/pins.ts';
import type { Surroundings } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';

const PIN_FILE_BYTES_MAX = 16 * 1024 * 1024;

export interface ChosenPins {
  readonly pins: ExactPins;
  /** What could not be had, each with the reason. */
  readonly missing: readonly string[];
}

/** Without a registry or a machine to ask, what the repository pins itself is all there is, and that is said. */
export async function chosenPins(
  around: Surroundings,
  root: string,
  project: UnderstoodProject,
): Promise<ChosenPins> {
  const own = exactPins(await pinFiles(root));
  return choosePins(around, own, project.wanted, project);
}

/** @param own versions that the repository names exactly: they stay */
export async function choosePins(
  around: Surroundings,
  own: ExactPins,
  { python, node, go = new Map(), rust = new Map() }: WantedPackages,
  { ownNames }: UnderstoodProject,
): Promise<ChosenPins> {
  const locked = Object.fromEntries(own.node.pins.map((pin) => [nameOf(pin, '@'), versionOf(pin, '@')]));
  const wanted: WantedPackages = {
    python: withExact(own.python.pins, python),
    node: Object.fromEntries(Object.entries(node).map(([name, range]) => [name, locked[name] ?? range])),
    go,
    rust,
  };
  if (wanted.python.length + Object.keys(wanted.node).length + go.size + rust.size === 0)
    return { pins: own, missing: [] };
  const machine = await openHomeMachine(around, null);
  if ('ok' in machine)
    return { pins: own, missing: [`no versions were chosen: ${machine.problems[0]?.message ?? ''}`] };
  try {
    const found = await machine.layers.choose(wanted);
    // Parts of the runner come with the image, unless the whole of it is pinned.
    const hasRunner = found.python.some((pin) => nameOf(pin, '==') === 'pytest');
    const isForeign = (pin: string): boolean => {
      const name = normalName(nameOf(pin, '=='));
      return name !== ownNames.python && (hasRunner || !RUNNER_PACKAGES.has(name));
    };
    return {
      pins: {
        python: { pins: found.python.filter(isForeign), leftOut: [] },
        node: { pins: found.node.filter((pin) => nameOf(pin, '@') !== ownNames.node), leftOut: [] },
        go: found.go,
        rust: found.rust,
      },
      missing: found.missing,
    };
  } finally {
    await machine.sandbox.close();
  }
}

function withExact(exact: readonly string[], ranges: readonly string[]): string[] {
  const named = new Set(exact.map((pin) => normalName(nameOf(pin, '=='))));
  return [...exact, ...ranges.filter((each) => !named.has(normalName(/^[\w.-]+/u.exec(each)?.[0] ?? '')))];
}

function nameOf(pin: string, sign: '==' | '@'): string {
  return pin.slice(0, pin.lastIndexOf(sign)).replace(/\[.*$/u, '');
}

function versionOf(pin: string, sign: '==' | '@'): string {
  return pin.slice(pin.lastIndexOf(sign) + sign.length);
}

/** Regular files of the folder itself; what is none, or too large, counts as not there. */
async function pinFiles(root: string): Promise<PinFiles> {
  const texts = await Promise.all(
    PIN_FILES.map(async (name) => {
      const found = await lstat(join(root, name)).catch(() => null);
      const isRead = found !== null && found.isFile() && found.size <= PIN_FILE_BYTES_MAX;
      return [name, isRead ? await readFile(join(root, name), 'utf8') : undefined] as const;
    }),
  );
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}
