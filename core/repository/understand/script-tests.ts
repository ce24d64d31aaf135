/** The runner that a script of `package.json` comes to: so that its tests can be counted, or another one is not started instead. */
import type { KnownTest } from '../known-tests.ts';
import { isPackageRunner, packageRunner } from '../node-runners.ts';
import { type Manifest, nodeProject } from './node-project.ts';

/** A runner that `npm test` starts and that is a package: none is there unless a plan pins it. Null for Node's own, or none. */
export function pinnedRunner(manifest: Manifest, paths: readonly string[]): string | null {
  const { tests } = nodeProject(manifest, paths);
  return tests.find(({ runner }) => isPackageRunner(runner) && runner !== 'tap')?.runner ?? null;
}

/** Null where the script is not there, or comes to more than tests of one runner. */
export function scriptTests(manifest: Manifest, name: string, paths: readonly string[]): KnownTest | null {
  const script = manifest.scripts[name];
  if (script === undefined) return null;
  const { tests, notes } = nodeProject(
    { ...manifest, scripts: { ...manifest.scripts, test: script } },
    paths,
  );
  const [only] = tests;
  // What the script does besides is no test, and would be lost.
  if (only === undefined || tests.length > 1 || notes.length > 0) return null;
  if (isPackageRunner(only.runner)) return packageRunner(only.runner, only.paths, only.args);
  return {
    argv: [],
    count: { by: 'reporter', runner: 'node_test', paths: [...only.paths], args: [...only.args] },
  };
}
