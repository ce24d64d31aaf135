/** Files that a program of the image lays before a room's clock begins, and what of a folder is told as changed. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PreparedFile, SandboxRequest, SandboxResult } from '../../core/ports/sandbox.ts';
import { BACKENDS, file, openBackend, request, shell } from './sandbox-backends.ts';
import type { Backend } from './sandbox-backends.ts';

const prepared = (path: string, text: string, executable = false): PreparedFile => {
  const bytes = Buffer.from(text);
  const oid = createHash('sha1')
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest('hex');
  return { path, size: bytes.length, executable, oid };
};

describe.each(BACKENDS)('%s sandbox', (kind) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend(kind);
  });
  afterAll(async () => {
    await backend.close();
  });
  const run = async (part: Partial<SandboxRequest> & Pick<SandboxRequest, 'argv'>): Promise<SandboxResult> =>
    await backend.sandbox.run(
      request(backend.image, { collect: ['/work'], collectChanges: ['/work'], ...part }),
    );

  test('run() tells what differs from the laid and prepared files, whatever times and sizes say', async () => {
    const { outcome, stdout, files, kept } = await run({
      mounts: [
        {
          path: '/work',
          files: [file('laid', 'laid')],
          prepared: [
            prepared('same', 'same'),
            prepared('edited', 'before'),
            prepared('mode', 'mode'),
            prepared('wrong', 'said'),
            prepared('gone', 'gone'),
          ],
        },
      ],
      prepare: shell(
        'cd /work; printf same > same; printf before > edited; printf mode > mode; printf else > wrong; printf gone > gone; sleep 100 &',
      ),
      argv: shell(
        'touch -r edited /tmp/t; printf after! > edited; touch -r /tmp/t edited; chmod +x mode; rm gone; echo new > new; pgrep sleep; id -u > /dev/null; pwd',
      ),
    });
    expect([outcome, stdout.text]).toEqual([{ kind: 'exited', exitCode: 0 }, '/work\n']);
    const told = files['/work']?.map(({ path, bytes, executable }) => [
      path,
      Buffer.from(bytes).toString(),
      executable,
    ]);
    expect(told).toEqual([
      ['edited', 'after!', false],
      ['mode', 'mode', true],
      ['new', 'new\n', false],
      ['wrong', 'else', false],
    ]);
    expect(kept).toEqual({ '/work': ['laid', 'same'] });
  });

  test('run() is lost, and starts nothing, where the preparation fails', async () => {
    const { outcome } = await run({
      prepare: shell('echo "no such tree" >&2; exit 9'),
      argv: shell('exit 0'),
    });
    expect(outcome).toEqual({
      kind: 'lost',
      reason: expect.stringMatching(/could not be prepared \(9\): no such tree/u),
    });
  });
});
