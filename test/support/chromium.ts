/** Pages as a person sees them: headless Chromium over its debugging pipe. Only for tests that are asked for by `A7_TEST_CHROMIUM=1`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

const PAGE_MAX_MS = 30_000;
const LOOK_EVERY_MS = 250;

export interface Browser {
  /** All visible text of the page, when it holds `wanted`. @throws with the text when it never does. */
  text(url: string, wanted: RegExp): Promise<string>;
  /** Writes a picture of the page that was read last. */
  picture(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts one browser. `program`: default `chromium`. */
export async function openBrowser(program = 'chromium', width = 1500, height = 1100): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), 'a7-chromium-'));
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe'];
  const more = [`--window-size=${String(width)},${String(height)}`, `--user-data-dir=${folder}`];
  const child = spawn(program, [...args, ...more, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const send = talkTo(child);
  const { targetInfos } = await send<{ targetInfos: { targetId: string; type: string }[] }>(
    'Target.getTargets',
  );
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  const attached = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = attached;
  const read = async (): Promise<string> => {
    const expression = 'document.body?.innerText ?? ""';
    const answer = await send<{ result: { value?: string } }>('Runtime.evaluate', { expression }, sessionId);
    return answer.result.value ?? '';
  };
  return {
    async text(url, wanted) {
      await send('Page.navigate', { url }, sessionId);
      let text = '';
      const end = Date.now() + PAGE_MAX_MS;
      while (Date.now() < end) {
        text = await read();
        if (wanted.test(text)) return text;
        await pause(LOOK_EVERY_MS);
      }
      throw new Error(`The page never showed ${String(wanted)}. It shows:\n${text}`);
    },
    async picture(path) {
      const { data } = await send<{ data: string }>('Page.captureScreenshot', {}, sessionId);
      await writeFile(path, Buffer.from(data, 'base64'));
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

type Send = <T>(method: string, params?: object, sessionId?: string) => Promise<T>;

function talkTo(child: ChildProcess): Send {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  child.once('error', (error) => {
    for (const each of waiting.values()) each.reject(error);
  });
  let buffered = '';
  output.on('data', (chunk: Buffer) => {
    const parts = (buffered + chunk.toString('utf8')).split('\0');
    buffered = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as { id?: number; result?: unknown; error?: { message: string } };
      const asked = waiting.get(message.id ?? -1);
      if (asked === undefined) continue;
      waiting.delete(message.id ?? -1);
      if (message.error === undefined) asked.resolve(message.result);
      else asked.reject(new Error(message.error.message));
    }
  });
  let last = 0;
  return <T>(method: string, params: object = {}, sessionId?: string) =>
    new Promise<T>((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
}
