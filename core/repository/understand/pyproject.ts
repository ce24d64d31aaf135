/** Requirements that a `pyproject.toml` declares: extras, dependency groups, and those of Poetry, PDM, uv and Hatch. */
import { type Fields, fieldsOf, listOf, textOf } from './plain.ts';
import { normalName, readRequirement } from './requirement.ts';
import { type Groups, TEST_GROUP } from './requirement-groups.ts';

/** Adds them by their group. */
export function readPyproject(pyproject: Fields, groups: Groups): void {
  const project = fieldsOf(pyproject['project']);
  groups.add('run', listOf(project['dependencies']));
  const own = normalName(textOf(project['name']) ?? '');
  const extras = fieldsOf(project['optional-dependencies']);
  for (const [name, list] of Object.entries(extras))
    groups.add(normalName(name), expanded(list, extras, own));
  const declared = fieldsOf(pyproject['dependency-groups']);
  for (const name of Object.keys(declared)) groups.add(normalName(name), included(name, declared, new Set()));
  const tool = fieldsOf(pyproject['tool']);
  readPoetry(fieldsOf(tool['poetry']), groups);
  groups.add('dev', listOf(fieldsOf(tool['uv'])['dev-dependencies']));
  for (const [name, list] of Object.entries(fieldsOf(fieldsOf(tool['pdm'])['dev-dependencies'])))
    groups.add(normalName(name), listOf(list));
  for (const [name, environment] of Object.entries(fieldsOf(fieldsOf(tool['hatch'])['envs']))) {
    const fields = fieldsOf(environment);
    const group = name === 'hatch-test' ? 'test' : normalName(name);
    groups.add(group, [...listOf(fields['dependencies']), ...listOf(fields['extra-dependencies'])]);
    for (const feature of listOf(fields['features']))
      if (TEST_GROUP.test(group)) groups.ask(normalName(String(feature)));
  }
}

/** `all = ["shop[test]"]` names another group of the same project. */
function expanded(list: unknown, extras: Fields, own: string): unknown[] {
  return listOf(list).flatMap((line) => {
    const read = typeof line === 'string' ? readRequirement(line) : null;
    if (read?.name !== own) return [line];
    return read.extras.flatMap((extra) => listOf(extras[extra]));
  });
}

function included(name: string, groups: Fields, seen: ReadonlySet<string>): unknown[] {
  if (seen.has(name)) return [];
  const within = new Set([...seen, name]);
  return listOf(groups[name]).flatMap((line) => {
    const other = textOf(fieldsOf(line)['include-group']);
    return other === null ? [line] : included(other, groups, within);
  });
}

function readPoetry(poetry: Fields, groups: Groups): void {
  groups.add('run', poetryLines(fieldsOf(poetry['dependencies'])));
  groups.add('dev', poetryLines(fieldsOf(poetry['dev-dependencies'])));
  for (const [name, group] of Object.entries(fieldsOf(poetry['group'])))
    groups.add(normalName(name), poetryLines(fieldsOf(fieldsOf(group)['dependencies'])));
}

/** `^1.2` is at least 1.2: what is too new is the project's own bound elsewhere, or shows in its tests. */
function poetryLines(dependencies: Fields): string[] {
  return Object.entries(dependencies).flatMap(([name, given]) => {
    if (name === 'python') return [];
    const fields = fieldsOf(given);
    const version = textOf(given) ?? textOf(fields['version']);
    if (version === null || fields['optional'] === true) return [];
    const caret = /^[\^~]\s*(\d[\w.]*)$/u.exec(version)?.[1];
    const major = caret === undefined ? '' : `,<${String(Number(caret.split('.')[0]) + 1)}`;
    const bound =
      version === '*'
        ? ''
        : caret !== undefined
          ? `>=${caret}${version.startsWith('^') && !caret.startsWith('0') ? major : ''}`
          : /^\d/u.test(version)
            ? `==${version}`
            : version;
    const extras = listOf(fields['extras']).join(',');
    return [`${name}${extras === '' ? '' : `[${extras}]`}${bound}`];
  });
}
