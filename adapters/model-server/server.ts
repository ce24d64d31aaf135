/**
 * The scripted model server (design part 10): chat completions, responses and messages on loopback, answers from a script, everything recorded.
 * What an answer is, is decided in `core/scripted-model`; here are HTTP, time and files.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { flattenRules } from '../../core/scripted-model/match.ts';
import { PROTOCOLS } from '../../core/scripted-model/protocols.ts';
import type { ModelScript } from '../../schemas/model-script.ts';
import type { ServedRequest } from '../../schemas/model-record.ts';
import { type ChatContext, serveChat } from './chat-route.ts';
import { openRecord } from './record.ts';
import { sendError, sendJson } from './respond.ts';
import { loadModelScript } from './script-file.ts';

export interface ModelServerOptions {
  /** The script, or the path of its file. */
  readonly script: ModelScript | { readonly path: string };
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Folder for `requests.jsonl` and `bodies/`; a server started again on it goes on. Default: in memory. */
  readonly recordDir?: string;
}

export interface ModelServer {
  /** Base URL for clients, for example `http://127.0.0.1:4010/v1`. */
  readonly url: string;
  /** Every chat request so far, in order. */
  requests(): readonly ServedRequest[];
  /** Ends connections that are open. */
  close(): Promise<void>;
}

/** Starts the server. @throws when the script is wrong or the port is taken. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const script = 'path' in options.script ? await loadModelScript(options.script.path) : options.script;
  const record = openRecord(options.recordDir ?? null);
  const context: ChatContext = { script, rules: flattenRules(script), record };
  const server = createServer((request, response) => {
    route(request, response, context).catch((error: unknown) => failRequest(response, error));
  });
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, host, options.port ?? 0);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${String(port)}/v1`,
    requests: () => record.all(),
    close: () => closeServer(server),
  };
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  context: ChatContext,
): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const keyError = keyErrorOf(request, context.script);
  if (keyError !== null) {
    const name = path === '/v1/messages' ? 'messages' : 'chat';
    sendError(response, { status: 401, message: keyError, code: 'invalid_api_key', param: null }, {}, name);
    return;
  }
  if (path === '/v1/models' && request.method === 'GET') {
    const names = context.script.models ?? [context.script.model];
    sendJson(response, 200, {
      object: 'list',
      data: names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'script' })),
    });
    return;
  }
  const protocol = Object.hasOwn(PROTOCOLS, path) ? PROTOCOLS[path] : undefined;
  if (protocol !== undefined && request.method === 'POST')
    return serveChat(request, response, context, protocol);
  const message = `Unknown request URL: ${request.method ?? ''} ${path}. Please check the URL for typos.`;
  sendError(response, { status: 404, message, code: 'unknown_url', param: null });
}

function keyErrorOf(request: IncomingMessage, script: ModelScript): string | null {
  const own = request.headers['x-api-key'];
  const key = typeof own === 'string' ? own : /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (key === undefined)
    return 'You did not provide an API key in an Authorization header using Bearer auth.';
  if (script.api_key === undefined || script.api_key === key) return null;
  return `Incorrect API key provided: ${key}.`;
}

function failRequest(response: ServerResponse, error: unknown): void {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'unknown';
  if (response.headersSent) response.destroy();
  else
    sendError(response, {
      status: 500,
      message: `The scripted server failed: ${message}`,
      code: null,
      param: null,
    });
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
