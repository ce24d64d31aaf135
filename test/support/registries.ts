/** Registries on loopback with packages made by hand: tests of layers need no network. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

export type Files = Readonly<Record<string, string>>;

export interface Registries {
  /** Settings that point pip and npm at these registries. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  /** Files served for Python packages, by file name; replace one to serve other bytes. */
  readonly python: Map<string, Buffer>;
  close(): Promise<void>;
}

/** A wheel with these modules; `names` may hold any path, also a forbidden one. */
export function makeWheel(name: string, version: string, files: Files): readonly [string, Buffer] {
  const info = `${name}-${version}.dist-info`;
  const all: Files = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: '',
  };
  return [`${name}-${version}-py3-none-any.whl`, makeZip(all)];
}

/** A gzipped tar as source distributions and Node packages are; `top` is the folder that all lies in. */
export async function makeTarball(top: string, files: Files): Promise<Buffer> {
  const stream = pack();
  for (const [name, text] of Object.entries(files)) stream.entry({ name: `${top}/${name}` }, text);
  stream.finalize();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return gzipSync(Buffer.concat(parts));
}

/** Serves both kinds; `node` maps `name@version` to the tarball of a package. */
export async function serveRegistries(
  python: readonly (readonly [string, Buffer])[],
  node: Readonly<Record<string, { readonly manifest: object; readonly tarball: Buffer }>>,
  home: string,
): Promise<Registries> {
  const files = new Map(python);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    const body = answer(path, files, node, `http://127.0.0.1:${String(port())}`);
    response.writeHead(body === null ? 404 : 200, { 'content-type': contentType(path) });
    response.end(body ?? 'Not found');
  });
  const port = (): number => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mkdirSync(home, { recursive: true });
  return {
    env: settings(port(), home),
    port: port(),
    python: files,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function settings(port: number, home: string): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(pip|npm|uv)_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: `http://127.0.0.1:${String(port)}/simple`,
    PIP_NO_CACHE_DIR: '1',
    npm_config_registry: `http://127.0.0.1:${String(port)}/npm/`,
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_globalconfig: join(home, 'npmrc-global'),
    no_proxy: '127.0.0.1',
  };
}

function answer(
  path: string,
  files: ReadonlyMap<string, Buffer>,
  node: Readonly<Record<string, { readonly manifest: object; readonly tarball: Buffer }>>,
  origin: string,
): Buffer | string | null {
  const simple = /^\/simple\/([^/]+)\/$/.exec(path)?.[1];
  if (simple !== undefined) return indexPage(simple, files);
  const file = /^\/files\/(.+)$/.exec(path)?.[1];
  if (file !== undefined) return files.get(file) ?? null;
  const tarball = /^\/npm\/-\/(.+)\.tgz$/.exec(path)?.[1];
  if (tarball !== undefined) return node[tarball]?.tarball ?? null;
  const name = /^\/npm\/(.+)$/.exec(path)?.[1];
  return name === undefined ? null : packument(name, node, origin);
}

function indexPage(name: string, files: ReadonlyMap<string, Buffer>): string | null {
  const own = [...files.keys()].filter((file) => file.replaceAll('_', '-').startsWith(`${name}-`));
  if (own.length === 0) return null;
  const links = own.map((file) => `<a href="/files/${file}">${file}</a>`);
  return `<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`;
}

function packument(
  name: string,
  node: Readonly<Record<string, { readonly manifest: object; readonly tarball: Buffer }>>,
  origin: string,
): string | null {
  const own = Object.entries(node).filter(([pin]) => pin.startsWith(`${name}@`));
  if (own.length === 0) return null;
  const versions = own.map(([pin, { manifest, tarball }]) => {
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: `${origin}/npm/-/${pin}.tgz`, integrity };
    return [pin.slice(name.length + 1), { ...manifest, dist }] as const;
  });
  return JSON.stringify({
    name,
    'dist-tags': { latest: versions[0]?.[0] },
    versions: Object.fromEntries(versions),
  });
}

function contentType(path: string): string {
  if (path.startsWith('/simple/')) return 'text/html';
  return path.endsWith('.tgz') || path.startsWith('/files/')
    ? 'application/octet-stream'
    : 'application/json';
}

/** Files as a zip without compression. */
export function makeZip(files: Files): Buffer {
  const bodies: Buffer[] = [];
  const heads: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature(0x04034b50), common, name, bytes]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    heads.push(Buffer.concat([signature(0x02014b50), madeBy, common, rest, name]));
    bodies.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(heads);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(heads.length, 4);
  end.writeUInt16LE(heads.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
