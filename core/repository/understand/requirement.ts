/** One requirement as Python projects write it: `name[extra]>=1.2; python_version < "3.12"`. */

export interface Requirement {
  /** In its normal spelling: lower case, dashes. */
  readonly name: string;
  readonly extras: readonly string[];
  /** Name, extras and versions, for a client of the registry. */
  readonly text: string;
}

/** Facts of the clean room that markers ask about. */
const ROOM: Readonly<Record<string, string>> = {
  python_version: '3.11',
  python_full_version: '3.11.2',
  sys_platform: 'linux',
  platform_system: 'Linux',
  os_name: 'posix',
  implementation_name: 'cpython',
  platform_python_implementation: 'CPython',
  platform_machine: 'x86_64',
};

/** Null for what is none: options, URLs, paths, and what its marker leaves out of the clean room. */
export function readRequirement(text: string): Requirement | null {
  const [plain = '', ...marker] = text.replace(/(?:^|\s)#.*$/u, '').split(';');
  const match =
    /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?\s*\(?\s*((?:[<>=!~]=?=?\s*[^\s,;()]+\s*,?\s*)*)\)?\s*$/u.exec(
      plain,
    );
  if (match === null || !markerHolds(marker.join(';'))) return null;
  const [, name = '', extras = '', versions = ''] = match;
  const own = extras
    .split(',')
    .map((extra) => extra.trim())
    .filter((extra) => extra !== '');
  const listed = own.length === 0 ? '' : `[${own.join(',')}]`;
  return {
    name: normalName(name),
    extras: own,
    text: `${name}${listed}${versions.replaceAll(/[\s]+/gu, '').replace(/,$/u, '')}`,
  };
}

/** `Foo_Bar` and `foo.bar` are one package. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/gu, '-');
}

/** Whether a marker holds in the clean room; what cannot be read holds: a package too many harms less than one too few. */
function markerHolds(marker: string): boolean {
  if (marker.trim() === '') return true;
  return marker.split(/\bor\b/u).some((part) => part.split(/\band\b/u).every((term) => termHolds(term)));
}

function termHolds(term: string): boolean {
  const match = /^[\s(]*(\w+)\s*(<=|>=|==|!=|<|>|in|not in)\s*['"]([^'"]*)['"][\s)]*$/u.exec(term);
  if (match === null) return true;
  const [, name = '', operator = '', wanted = ''] = match;
  if (name === 'extra') return false;
  const own = ROOM[name];
  if (own === undefined) return true;
  const order = name.startsWith('python') ? compareVersions(own, wanted) : own === wanted ? 0 : 1;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '!=':
      return order !== 0;
    case '==':
      return wanted.endsWith('.*')
        ? own.startsWith(wanted.slice(0, -1)) || own === wanted.slice(0, -2)
        : order === 0;
    case 'in':
      return wanted.includes(own);
    default:
      return !wanted.includes(own);
  }
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left.split('.').map(Number), right.split('.').map(Number)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const order = (a[index] ?? 0) - (b[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}
