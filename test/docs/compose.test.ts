/** docker-compose.yml as `docker compose config` would read it, without that program; test/topology starts it. */
import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const variables = new Map(
  [...read('.env').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const missing: string[] = [];
const text = read('docker-compose.yml').replace(
  /\$\{([A-Z0-9_]+)(?::-([^}]*))?\}/g,
  (_all, name: string, otherwise: string | undefined) => {
    const value = variables.get(name) ?? otherwise;
    if (value === undefined) missing.push(name);
    return value ?? '';
  },
);
const { services, volumes } = z
  .strictObject({
    services: z.record(
      z.string(),
      z.looseObject({
        image: z.string().optional(),
        build: z.strictObject({ context: z.string(), args: z.record(z.string(), z.string()) }).optional(),
        depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).default({}),
        ports: z.array(z.string()).default([]),
        volumes: z.array(z.string()).default([]),
        privileged: z.literal(false).optional(),
      }),
    ),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(text));

test('every variable has a value, and every image an exact version that .env alone names', () => {
  const images = Object.values(services).flatMap(
    ({ image, build }) => image ?? Object.values(build?.args ?? {}),
  );
  expect(missing).toEqual([]);
  expect(images.filter((image) => !/^[a-z0-9/-]+:\d+\.\d+[\w.-]*$/.test(image))).toEqual([]);
  expect(read('docker-compose.yml').match(/image: (?!\$\{)/g)).toBeNull();
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const named = Object.keys(services['worker']?.build?.args ?? {}).map((name) => `\${${name}}`);
  expect(new Set(bases)).toEqual(new Set(named));
  // A front end of the builder would be one more image to fetch.
  expect(read('Dockerfile')).not.toMatch(/^# syntax=/m);
  // Where no registry can be reached, each has a stand-in.
  const standIns = read('deploy/stand-ins/Dockerfile');
  const targets = [...read('scripts/stand-ins.mjs').matchAll(/^ {2}(\w+_IMAGE): '(\w+)'/gm)];
  const made = targets.map(([, name = '', target = '']) => {
    expect(standIns).toContain(` AS ${target}\n`);
    return name;
  });
  const wanted = [...variables.keys()].filter((name) => name.endsWith('_IMAGE') && name !== 'WORKER_IMAGE');
  expect([...made, 'DEBIAN_IMAGE'].toSorted()).toEqual(wanted.toSorted());
});

test('ports are on loopback, and nothing is named that is not there', () => {
  const all = Object.values(services);
  expect(all.flatMap(({ ports }) => ports).filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  expect(all.flatMap((each) => Object.keys(each.depends_on)).filter((name) => !(name in services))).toEqual(
    [],
  );
  const sources = all.flatMap((each) => each.volumes.map((volume) => volume.split(':')[0] ?? ''));
  expect(
    sources.filter((name) => (name.startsWith('.') ? !existsSync(join(ROOT, name)) : !(name in volumes))),
  ).toEqual([]);
  // What only lays out the database is no server yet: it answers on its socket alone.
  expect(text).toMatch(/pg_isready, -h, /);
  // No engine's socket: decision 0062.
  expect(text).not.toContain('docker.sock');
});
