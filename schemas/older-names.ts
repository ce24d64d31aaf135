/** Names that contracts had before all of them were written with underscores: still read, in files and in stored sessions. */

type Fields = Readonly<Record<string, unknown>>;

const EXPECT: Readonly<Record<string, string>> = { exitCode: 'exit_code', stdoutContains: 'stdout_contains' };
const ENVIRONMENT: Readonly<Record<string, string>> = {
  timeZone: 'time_zone',
  wallMs: 'wall_ms',
  memoryMb: 'memory_mb',
};

/** A node as parsed, with the present names. What is no such node comes back as it is. */
export function withPresentNames(node: unknown): unknown {
  if (!isFields(node)) return node;
  const { environment, fixtures } = node;
  return {
    ...node,
    ...(isFields(environment) && { environment: renamed(environment, ENVIRONMENT) }),
    ...(Array.isArray(fixtures) && { fixtures: fixtures.map(fixture) }),
  };
}

function fixture(value: unknown): unknown {
  if (!isFields(value) || !isFields(value['expect'])) return value;
  return { ...value, expect: renamed(value['expect'], EXPECT) };
}

/** With both spellings the older stays as it is, and the schema refuses it. */
function renamed(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  const entries = Object.entries(fields).map(([name, value]) => {
    const present = Object.hasOwn(names, name) ? (names[name] ?? name) : name;
    return [present in fields ? name : present, value] as const;
  });
  return Object.fromEntries(entries);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
