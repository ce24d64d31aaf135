import { afterAll, describe, expect, test } from '@jest/globals';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import { makeFolder, removeFolders } from '../support/model-fixtures.ts';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

afterAll(removeFolders);

describe('createObjectFiles()', () => {
  test('put() names bytes by their hash, stores them once, and get() gives them back', async () => {
    const dir = await makeFolder();
    const objects = createObjectFiles({ dir });
    const refs = await Promise.all([objects.put(''), objects.put(new Uint8Array()), objects.put('')]);
    expect(new Set(refs)).toEqual(new Set([`sha256:${EMPTY}`]));
    expect(await readdir(join(dir, EMPTY.slice(0, 2)))).toEqual([EMPTY.slice(2)]);
    const ref = await objects.put('Grüße');
    expect(Buffer.from(await objects.get(ref)).toString('utf8')).toBe('Grüße');
  });

  test('get() refuses bytes that do not match their reference', async () => {
    const dir = await makeFolder();
    const objects = createObjectFiles({ dir });
    const ref = await objects.put('true');
    await writeFile(join(dir, ref.slice(7, 9), ref.slice(9)), 'false');
    await expect(objects.get(ref)).rejects.toThrow(`Cannot read object "${ref}": its bytes hash to`);
  });

  test.each(['sha256:abc', '../../etc/passwd', `sha256:${EMPTY.toUpperCase()}`])(
    'get() refuses the reference %s',
    async (ref) => {
      await expect(createObjectFiles({ dir: await makeFolder() }).get(ref)).rejects.toThrow(
        'must be sha256:',
      );
    },
  );
});
