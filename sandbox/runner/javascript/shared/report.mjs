/**
 * The report of a run for the JavaScript runners: one JSON object a line, created exclusively before anything of the
 * suite or the builder is loaded (gate.md part 4). The nonce reads as zeros until the run has ended.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** The first words on standard output, before anything of the judged party is loaded: nobody can take them back. */
const BEGUN = Buffer.from('a7: the run begins\n');

/** Opens the report. Throws EEXIST for a second one. */
export function openReport(path, nonce, runner) {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  const start = (shown) => line({ kind: 'start', nonce: shown, runner, version: process.version });
  writeAll(fd, start('0'.repeat(nonce.length)));
  writeAll(1, BEGUN);
  return {
    emit: (record) => writeAll(fd, line(record)),
    finish: (collected, ran) => {
      writeAll(fd, line({ kind: 'end', nonce, collected, ran }));
      writeAll(fd, start(nonce), 0);
      closeSync(fd);
    },
  };
}

function line(record) {
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function writeAll(fd, bytes, position = null) {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}
