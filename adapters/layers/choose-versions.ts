/** Exact versions for ranges: `pip download` and npm's lock choose them, for the clean room and not for this machine. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ChooseVersions } from '../../core/ports/pins.ts';
import { type ClientRun, type Environment, runFirst } from './client.ts';
import { LayerFailure } from './problem.ts';
import { goPins } from './choose-go.ts';
import { rustPins } from './choose-rust.ts';
import { npmOptions } from './node.ts';
import { PIP_CLIENTS, pipArguments, type PythonTarget, registryEnvironment } from './python.ts';

/** Packages without a wheel, or without any release, that are left out one by one. */
const LEFT_OUT_MAX = 12;

const Lock = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/** Chooses by the user's own clients and settings. */
export function versionChooser(env: Environment, target: PythonTarget): ChooseVersions {
  return async ({ python, node, go = new Map(), rust = new Map() }) => {
    const work = await mkdtemp(join(tmpdir(), 'a7-pins-'));
    const missing: string[] = [];
    try {
      return {
        python: await told(missing, () => pythonPins(work, env, target, python, missing)),
        node: await told(missing, () => nodePins(work, env, node, missing)),
        go: await told(missing, () => goPins(join(work, 'go'), env, go, missing)),
        rust: await told(missing, () => rustPins(join(work, 'rust'), env, rust, missing)),
        missing,
      };
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  };
}

async function told(missing: string[], work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LayerFailure)) throw error;
    missing.push(`${error.problem.message}. ${error.problem.suggestion}`);
    return [];
  }
}

async function pythonPins(
  work: string,
  env: Environment,
  target: PythonTarget,
  wanted: readonly string[],
  missing: string[],
): Promise<string[]> {
  let asked = [...wanted];
  for (let tries = 0; asked.length > 0 && tries <= LEFT_OUT_MAX; tries += 1) {
    const folder = join(work, `wheels-${String(tries)}`);
    await mkdir(folder);
    const run = await runFirst(
      PIP_CLIENTS.map((client) => [...client, ...pipArguments(folder, target, false), '--', ...asked]),
      'python',
      { cwd: work, env: registryEnvironment(env), signal: undefined },
    );
    if (run.ok) return (await readdir(folder)).flatMap((file) => pinOfWheel(file)).toSorted();
    const next = withoutCulprit(run, asked);
    if (next === null) {
      missing.push(`the registry's client cannot choose versions for ${asked.join(', ')}`);
      return [];
    }
    missing.push(...next.missing);
    asked = next.asked;
  }
  return [];
}

function pinOfWheel(file: string): string[] {
  const [, name, version] = /^([^-]+)-([^-]+)-.*\.whl$/u.exec(file) ?? [];
  return name === undefined || version === undefined
    ? []
    : [`${name.replaceAll('_', '-').toLowerCase()}==${version}`];
}

/** A package that has no wheel is left out; ranges that exclude each other are let go, newest first. */
function withoutCulprit(
  { text }: ClientRun,
  asked: readonly string[],
): { readonly asked: string[]; readonly missing: string[] } | null {
  const named = /(?:No matching distribution found for|requirement) ([A-Za-z0-9][\w.-]*)/u.exec(text)?.[1];
  const parent = /\(from ([A-Za-z0-9][\w.-]*)/u.exec(text)?.[1];
  for (const culprit of [named, parent]) {
    const left = asked.filter((each) => nameOf(each) !== normal(culprit ?? ''));
    if (culprit !== undefined && left.length < asked.length)
      return { asked: left, missing: [`"${culprit}": the registry has no wheel of it for the clean room`] };
  }
  if (!/ResolutionImpossible|conflicting dependencies/u.test(text)) return null;
  const bare = asked.map((each) => each.replace(/[<>=!~].*$/u, ''));
  const isBare = bare.every((each, index) => each === asked[index]);
  return isBare ? null : { asked: bare, missing: ['versions exclude each other: the newest were taken'] };
}

async function nodePins(
  work: string,
  env: Environment,
  wanted: Readonly<Record<string, string>>,
  missing: string[],
): Promise<string[]> {
  let asked = { ...wanted };
  for (let tries = 0; Object.keys(asked).length > 0 && tries <= LEFT_OUT_MAX; tries += 1) {
    const folder = join(work, `npm-${String(tries)}`);
    await mkdir(folder);
    const manifest = { name: 'layer', version: '0.0.0', private: true, dependencies: asked };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const command = [
      'npm',
      'install',
      '--package-lock-only',
      '--legacy-peer-deps',
      ...npmOptions(process.arch),
    ];
    const run = await runFirst([command], 'node', { cwd: folder, env, signal: undefined });
    if (run.ok) {
      const { packages } = Lock.parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')));
      return Object.keys(asked).flatMap((name) => {
        const version = packages[`node_modules/${name}`]?.version;
        return version === undefined ? [] : [`${name}@${version}`];
      });
    }
    const culprit = Object.keys(asked).find(
      (name) => run.text.includes(`${name}@`) || run.text.includes(`/${name.replaceAll('/', '%2f')} `),
    );
    if (culprit === undefined || !/E404|ETARGET|notarget|EUNSUPPORTED|ENOENT|EINVALID/u.test(run.text)) {
      missing.push(`the registry's client cannot choose versions for ${Object.keys(asked).join(', ')}`);
      return [];
    }
    missing.push(`"${culprit}@${asked[culprit] ?? ''}": the registry has no such version`);
    // The newest one that there is stands in for a range that is ahead of the registry, once.
    asked =
      asked[culprit] === '*'
        ? Object.fromEntries(Object.entries(asked).filter(([name]) => name !== culprit))
        : { ...asked, [culprit]: '*' };
  }
  return [];
}

function nameOf(requirement: string): string {
  return normal(/^[\w.-]+/u.exec(requirement)?.[0] ?? '');
}

function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/gu, '-');
}
