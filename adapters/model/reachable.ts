/** Whether something listens where a model is said to be: a connection, and nothing sent. */
import { connect } from 'node:net';

/** Null where a connection came about; else why not. */
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
