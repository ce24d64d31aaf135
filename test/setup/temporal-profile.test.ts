/** A profile of a cloud names more than an address: certificates and keys reach every client and worker. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { NativeConnection } from '@temporalio/worker';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuredServer, connectTo } from '../../workers/services/server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a7-profile-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function profile(text: string) {
  const file = join(folder, 'temporal.toml');
  writeFileSync(file, text);
  const place = configuredServer({ env: { TEMPORAL_CONFIG_FILE: file } });
  if (place === null) throw new Error('no server is configured');
  return place;
}

test('configuredServer() keeps TLS, key and metadata of the profile', () => {
  const place = profile(
    '[profile.default]\naddress = "ns.tmprl.cloud:7233"\nnamespace = "ns"\napi_key = "secret"\n[profile.default.tls]\nserver_name = "ns.example"\n[profile.default.grpc_meta]\nteam = "build"\n',
  );
  expect(place).toMatchObject({ address: 'ns.tmprl.cloud:7233', namespace: 'ns', embedded: false });
  expect(place.connection).toMatchObject({
    address: 'ns.tmprl.cloud:7233',
    apiKey: 'secret',
    tls: { serverNameOverride: 'ns.example' },
    metadata: { team: 'build' },
  });
});

test('client and worker send the key of the profile', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer().on('stream', (stream, headers) => {
    keys.push(headers.authorization);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
      { endStream: true },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const place = profile(
    `[profile.default]\naddress = "127.0.0.1:${String(port)}"\napi_key = "secret"\n[profile.default.tls]\ndisabled = true\n`,
  );
  try {
    await (await connectTo(place)).close();
    const asClient = keys.splice(0);
    // This server implements nothing, which the worker refuses; by then it has sent the key.
    await expect(NativeConnection.connect(place.connection)).rejects.toThrow('not implemented');
    for (const seen of [asClient, keys]) {
      expect(seen.length).toBeGreaterThan(0);
      expect(new Set(seen)).toEqual(new Set(['Bearer secret']));
    }
  } finally {
    server.close();
  }
});
