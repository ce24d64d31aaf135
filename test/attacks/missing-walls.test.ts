/** An attack suite that could not fail would prove nothing: with a wall taken away, its attack gets through and is told. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { SandboxPort, SandboxRequest } from '../../core/ports/sandbox.ts';
import type { FileTools } from '../../core/ports/shadow.ts';
import type { Backend } from '../adapters/sandbox-backends.ts';
import { resultTable } from './render.ts';
import type { Attack, AttackResult } from './attack.ts';
import { ATTACKS } from './corpus/index.ts';
import { PYTHON_NODES } from './corpus/nodes.ts';
import type { Missing } from './field.ts';
import { runAttacks } from './run-attacks.ts';

async function attacked(name: string, missing: Missing): Promise<AttackResult | undefined> {
  const attacks = ATTACKS.filter((attack) => attack.name === name);
  const results = await runAttacks({ attacks, backends: ['bubblewrap'], missing });
  return results.find((result) => result.attack === name);
}

/** The sandbox with other requests than the ones that it is given. */
function portOf(sandbox: SandboxPort, change: (request: SandboxRequest) => SandboxRequest): SandboxPort {
  return {
    backend: sandbox.backend,
    run: (request, options) => sandbox.run(change(request), options),
    probe: (tag) => sandbox.probe(tag),
    warm: () => undefined,
    reap: () => sandbox.reap(),
    close: () => sandbox.close(),
  };
}

/** The sandbox with limits that nothing hits. */
function unlimited({ image, sandbox, close }: Backend): Backend {
  const port = portOf(sandbox, (request) => ({
    ...request,
    limits: { ...request.limits, outputBytes: 64 * 1024 * 1024 },
  }));
  return { image, close, sandbox: port };
}

const believing: Missing['readArchive'] = async () =>
  Promise.resolve({
    files: new Map([[0, [{ path: '../escape', bytes: new Uint8Array() }]]]),
    refused: [],
  });

describe('runAttacks() tells what gets through where', () => {
  test('the suite runs in the process of the code', async () => {
    const missing: Missing = { node: () => PYTHON_NODES.inside };
    expect(await attacked('the runner patched in memory', missing)).toMatchObject({
      outcome: 'got_through',
      reason: 'PASS',
    });
  });

  test('the sandbox has no limit', async () => {
    const name = 'two megabytes of output where one is allowed';
    expect(await attacked(name, { rooms: unlimited })).toMatchObject({
      outcome: 'got_through',
      reason: 'PASS',
    });
  });

  test('archives are believed', async () => {
    expect(await attacked('archive: ../ in a name', { readArchive: believing })).toMatchObject({
      outcome: 'got_through',
      reason: 'came out: 0/../escape',
    });
  });

  test('tools know no write set', async () => {
    const tools = (field: FileTools): FileTools => ({
      run: (tree, _scope, call) => field.run(tree, { writeSet: ['**'], mayWriteConftest: true }, call),
    });
    expect(await attacked('tool: a test', { tools })).toMatchObject({
      outcome: 'got_through',
      reason: 'the tree changed',
    });
  });

  test('a file of the host changes behind an attack', async () => {
    const attack: Attack = {
      name: 'host',
      family: 'races',
      act: {
        kind: 'staged',
        run: async ({ host }) => {
          writeFileSync(`${host.folder}/files/script.sh`, 'owned\n');
          return Promise.resolve({ outcome: 'blocked', reason: 'nothing' });
        },
      },
    };
    const results = await runAttacks({ attacks: [attack], backends: ['bubblewrap'] });
    expect(results).toEqual([
      { attack: 'host', family: 'races', backend: 'bubblewrap', outcome: 'blocked', reason: 'nothing' },
      {
        attack: 'what the family left behind',
        family: 'races',
        backend: 'bubblewrap',
        outcome: 'got_through',
        reason: 'files of the host changed',
      },
    ]);
    expect(resultTable(results)).toContain('2 attacks, 1 GOT THROUGH:');
  });

  test('the door passes whatever it is asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a7-open-door-'));
    const open = createServer((_request, response) => response.end('anything'));
    await new Promise<void>((resolve) => open.listen(join(folder, 'model.sock'), resolve));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'model.sock'), 0o666);
    const rooms = (whole: Backend): Backend => ({
      ...whole,
      sandbox: portOf(whole.sandbox, (request) =>
        request.shows === undefined
          ? request
          : { ...request, shows: request.shows.map(({ at }) => ({ at, from: folder })) },
      ),
    });
    const result = await attacked('another path of the endpoint', { rooms });
    expect(`${String(result?.outcome)}: ${String(result?.reason)}`).toMatch(/^got_through/u);
    open.closeAllConnections();
    open.close();
    rmSync(folder, { recursive: true });
  });
});
