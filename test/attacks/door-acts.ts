/** Attempts of an agent at the door of its room: all in one room, the endpoint behind the door keeps what it was sent. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOM } from '../../core/ports/agent-driver.ts';
import { LIMITS, python, request } from '../adapters/sandbox-backends.ts';
import { CHAT_ANSWER, doorYard, KEY, type Seen } from '../support/door-yard.ts';
import type { Attack, Held } from './attack.ts';
import type { Field } from './field.ts';
import { DRIVER, heldOf, linesOf, onceIn, toldIn } from './guest-acts.ts';

/** Words of the door for the guest: `ask` over the loopback port, `direct` over the socket itself; both give status and text. */
const WORDS = String.raw`
HELLO = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]})
def http(line, body=None, *headers):
    head = [line + " HTTP/1.1", "Host: model", *headers]
    if body is not None: head.append("Content-Length: %d" % len(body))
    return ("\r\n".join(head) + "\r\n\r\n" + (body or "")).encode()
def read(s, *pieces):
    s.settimeout(10); got = b""
    try:
        for piece in pieces: s.sendall(piece)
        while len(got) < 1 << 16:
            more = s.recv(65536)
            if not more: break
            got += more
            if b"\r\n\r\n" in got and b"Connection: close" not in got and b"connection: close" not in got: s.settimeout(0.7)
    except OSError: pass
    words = got.split(b" ", 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, got.decode("latin1"))
def inside(tries=400):
    # What joins the port to the door starts beside this program.
    try: return socket.create_connection(("127.0.0.1", HOST["door"]))
    except ConnectionRefusedError:
        if tries == 0: raise
        time.sleep(0.05); return inside(tries - 1)
def ask(*pieces): return read(inside(), *pieces)
def direct(*pieces):
    s = socket.socket(socket.AF_UNIX); s.connect(HOST["at"] + "/model.sock"); return read(s, *pieces)
def asked(body, path="/v1/chat/completions", *headers):
    return ask(http("POST " + path, body if isinstance(body, str) else json.dumps({**json.loads(HELLO), **body}), *headers))
def through(answer):
    if answer[0] != 200: raise PermissionError("%d %s" % (answer[0], answer[1][-90:]))
    return answer[1][-150:]
`;

/** What may reach the endpoint at all, whatever the room asked. */
function isOwn({ url, headers, body }: Seen): boolean {
  const said = JSON.parse(body) as Record<string, unknown>;
  return (
    url === '/v1/chat/completions' &&
    headers['authorization'] === `Bearer ${KEY}` &&
    !/evil|stolen|169\.254/.test(JSON.stringify(headers) + body) &&
    said['model'] === 'real-model' &&
    Number(said['max_tokens'] ?? said['max_completion_tokens']) <= 100 &&
    Object.keys(said).every((name) =>
      /^(?:model|messages|max_tokens|max_completion_tokens|tools)$/.test(name),
    )
  );
}

/** Outcomes of all attempts at a door, made once a field. */
export function doorActs(field: Field, all: readonly Attack[]): Promise<Map<string, Held>> {
  return onceIn(field, 'door', async () => {
    const yard = await doorYard();
    // An endpoint that says all that it was sent, its key too.
    yard.answer = (response, seen) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'x-key': KEY })
        .end(`${CHAT_ANSWER.slice(0, -1)},"echo":${JSON.stringify(seen.headers)}}`);
    try {
      const door = await yard.open({ limits: { costMicroUsd: 1, tokensMax: 1e7, requestsMax: 200 } });
      const { host, rooms } = field;
      const known = { port: host.port, door: ROOM.doorPort, at: ROOM.door, key: KEY };
      const last = ['the door itself', 'GOT = through(asked(HELLO))'] as const;
      const acts = [...linesOf(all, 'door'), last].map(([name, lines]) => [name, `${WORDS}\n${lines}`]);
      const program = readFileSync('sandbox/door/door.mjs');
      const result = await rooms.sandbox.run(
        request(rooms.image, {
          key: `door-${randomUUID()}`,
          argv: python(DRIVER),
          stdin: Buffer.from(JSON.stringify([acts, known])),
          mounts: [
            { path: '/work', files: [] },
            { path: ROOM.doorProgram, files: [{ path: 'door.mjs', bytes: program }], writable: false },
          ],
          shows: [{ from: door.folder, at: ROOM.door }],
          companions: [
            {
              argv: [
                'node',
                `${ROOM.doorProgram}/door.mjs`,
                String(ROOM.doorPort),
                `${ROOM.door}/model.sock`,
              ],
              user: 'trusted',
              cwd: '/',
            },
          ],
          limits: { ...LIMITS, wallMs: 120_000, memoryBytes: 512 * 1024 * 1024 },
        }),
      );
      const told = new Map(toldIn(result).map((line) => [line.act, heldOf(line)]));
      // After all of them the door still serves, and nothing but its own words went out.
      const strange = yard.seen.find((seen) => !isOwn(seen));
      const isAlive = told.get(last[0])?.outcome === 'got_through';
      const harm =
        strange === undefined
          ? isAlive
            ? null
            : `the door serves no more: ${told.get(last[0])?.reason ?? 'no word'} ${result.stderr.text.slice(0, 200)}`
          : `the endpoint was sent ${strange.url} ${strange.body.slice(0, 100)}`;
      if (harm === null) return told;
      return new Map([...told.keys()].map((name) => [name, { outcome: 'got_through', reason: harm }]));
    } finally {
      await yard.close();
    }
  });
}
