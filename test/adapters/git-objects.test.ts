/** The long-lived reader of git objects, against what a repository may hold. */
import { createReadStream } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { OBJECT_MAX_BYTES } from '../../adapters/git/batch-parser.ts';
import { ObjectReader } from '../../adapters/git/object-reader.ts';
import { readBlobEntry } from '../../adapters/git/read-entry.ts';
import { type TempFolder, plainGit, tempFolder } from '../support/git-repo.ts';

let temp: TempFolder;
beforeEach(async () => {
  temp = await tempFolder();
});
afterEach(() => temp.remove());

describe('ObjectReader', () => {
  test('does not read an object that would fill the memory, and goes on with the next', async () => {
    plainGit(['init', '-q', '--bare', temp.path]);
    const write = async (bytes: number) => {
      const input = createReadStream('/dev/zero', { end: bytes - 1 });
      return (await execa('git', ['hash-object', '-w', '--stdin'], { cwd: temp.path, input })).stdout;
    };
    const large = await write(OBJECT_MAX_BYTES + 1);
    const small = await write(5);
    const reader = new ObjectReader(temp.path);
    try {
      await expect(readBlobEntry(reader, large, 'film.bin', 1_000_000_000)).rejects.toThrow(
        new RangeError(
          `Cannot judge "film.bin": it has ${String(OBJECT_MAX_BYTES + 1)} bytes, at most ${String(OBJECT_MAX_BYTES)} are read`,
        ),
      );
      expect(await readBlobEntry(reader, small, 'a.bin', 10)).toEqual(Buffer.alloc(5));
      await expect(readBlobEntry(reader, small, 'a.bin', 4)).rejects.toThrow('at most 4 can be judged');
    } finally {
      await reader.close();
    }
  });
});
