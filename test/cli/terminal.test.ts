/** What a command is to the terminal that it runs in: its colours are its own, and a terminal that is closed ends it in order. */
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { execa } from 'execa';
import type { OrderNotice } from '../../core/ports/order-services.ts';
import { CLI } from '../support/session.ts';
import { removeHome, tempHome } from '../support/server.ts';

test('the progress of an order keeps our colours, and shows as ? what others wrote to steer a terminal', async () => {
  // Read when the module of colours is loaded, which no other import of this file does.
  process.env['FORCE_COLOR'] = '1';
  const { noticeText } = await import('../../client/render/orders.ts');
  const line = (data: object, type: string): OrderNotice => {
    const at = '2026-11-26T20:00:00.000Z';
    return { kind: 'line', line: { v: 1, seq: 1, run: 1, at, type, data, prev: '', hash: '' } as never };
  };
  const advice = { id: '1', by: 'me', text: 'mind \u001b[2J the gap' };
  expect(noticeText(line(advice, 'advice_given'))).toBe(
    '\u001b[2m20:00:00\u001b[22m  advice: mind ?[2J the gap',
  );
  expect(noticeText({ kind: 'said', text: 'a\u001b[2Jb' })).toBe('a?[2Jb');
});

/** Runs a command in a terminal, closes the terminal when it has said something, and tells by what it ended. */
const CLOSED = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said = b''
while sys.argv[1].encode() not in said:
    said += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'exit %d' % os.WEXITSTATUS(status))
`;

test('a worker whose terminal is closed stops in order, and ends by the signal of it', async () => {
  const home = await tempHome();
  try {
    const worker = [process.execPath, CLI, 'worker', '--backend', 'bubblewrap'];
    const { stdout } = await execa('python3', ['-c', CLOSED, 'Serving orders', ...worker], {
      env: { A7_HOME: home, TMPDIR: join(home, '..') },
      timeout: 60_000,
    });
    expect(stdout).toBe('1');
  } finally {
    await removeHome(home);
  }
}, 60_000);
