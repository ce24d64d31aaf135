/** Whether something listens where a model is said to be, and whether it answers. */
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';

/** Null where a connection came about; else why not. Nothing is sent. */
export function whyUnreachable(baseUrl: string, timeoutMs: number): Promise<string | null> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/gu, '');
  const usual = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? usual : Number(port) });
    const end = (reason: string | null): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => end(`no connection within ${String(timeoutMs / 1000)} s`));
    socket.once('connect', () => end(null));
    socket.once('error', (error) => end(error.message || 'no connection'));
  });
}

/** Null where it answered anything at all; else why not. Asked before any call: an endpoint at work may be silent for long. */
export async function whySilent(baseUrl: string, timeoutMs: number): Promise<string | null> {
  const why = await whyUnreachable(baseUrl, timeoutMs);
  if (why !== null) return why;
  return new Promise((resolve) => {
    const url = new URL(baseUrl);
    const asked = (url.protocol === 'https:' ? https : http).request(url, { method: 'HEAD', agent: false });
    const end = (reason: string | null): void => {
      asked.destroy();
      resolve(reason);
    };
    asked.setTimeout(timeoutMs, () =>
      end(`it takes connections and has answered nothing for ${String(timeoutMs / 1000)} s`),
    );
    asked.once('response', () => end(null));
    asked.once('error', (error) => end(error.message || 'no answer'));
    asked.end();
  });
}
