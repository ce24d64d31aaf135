/** Which modules a tree of Go needs: as `go mod download` finds them by its `go.mod` and `go.sum` alone, without a line of its code. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { goModuleOf, goToolchainPin, newerGo } from '../../core/layers/go-modules.ts';
import { type Environment, runFirst } from './client.ts';
import { downloaded, goEnvironment } from './go.ts';

/** @param files `go.mod`, `go.sum` and `go.work` by path @param missing is added to */
export async function goPins(
  work: string,
  env: Environment,
  files: ReadonlyMap<string, string>,
  missing: string[],
): Promise<string[]> {
  const own = [...files].filter(([path]) => /(?:^|\/)go\.mod$/u.test(path));
  if (own.length === 0) return [];
  for (const [path, text] of files) {
    await mkdir(dirname(join(work, 'tree', path)), { recursive: true });
    await writeFile(join(work, 'tree', path), text);
  }
  // A workspace chooses versions for all of its modules together.
  const { GOWORK: _off, ...settings } = goEnvironment(env, join(work, 'cache'));
  const pins = new Set<string>();
  for (const [path, text] of own) {
    if (!/^\s*require\b/mu.test(text)) continue;
    const cwd = join(work, 'tree', dirname(path));
    const run = await runFirst([['go', 'mod', 'download', '-json']], 'go', {
      cwd,
      env: settings,
      signal: undefined,
    });
    const found = downloaded(run.stdout);
    const lost = found.filter((each) => each.Error !== undefined);
    for (const each of lost) missing.push(`"${each.Path}@${each.Version}": no module proxy has it`);
    if (!run.ok && found.length === 0)
      missing.push(`modules of ${path} were not chosen: "go mod download" does not understand it`);
    for (const each of found) if (each.Error === undefined) pins.add(`${each.Path}@${each.Version}`);
  }
  const names = new Set(own.map(([, text]) => goModuleOf(text)));
  const others = [...pins].filter((pin) => !names.has(pin.slice(0, pin.lastIndexOf('@'))));
  return [...others.toSorted(), ...(await compilerPins(work, settings, own, missing))];
}

/** The newest patch of the newest Go that one of them asks for, where the image's packages are older. */
async function compilerPins(
  cwd: string,
  env: Environment,
  own: readonly (readonly [string, string])[],
  missing: string[],
): Promise<string[]> {
  const asked = own.flatMap(([, text]) => newerGo(text) ?? []);
  const [newest] = asked.toSorted((a, b) => Number(b.split('.')[1]) - Number(a.split('.')[1]));
  if (newest === undefined) return [];
  const options = { cwd, env: { ...env, GOWORK: 'off' }, signal: undefined };
  const run = await runFirst([['go', 'list', '-m', '-f', '{{.Version}}', `go@${newest}`]], 'go', options);
  const version = /^\d+\.\d+(?:\.\d+)?$/mu.exec(run.stdout)?.[0];
  if (version !== undefined) return [goToolchainPin(version, process.arch)];
  missing.push(`Go ${newest}, which go.mod asks for: no module proxy has that compiler`);
  return [];
}
