/**
 * The module of a Python project that its build writes and its repository leaves out: the version, as `setuptools_scm`, `hatch-vcs`
 * and their like take it from git's tags. In a checkout nothing has built it, and `import shop` fails with
 * "No module named 'shop._version'". Its text is made here, so that the plan can write it.
 */
import { quoted } from '../../text/typed.ts';
import { type Fields, fieldsOf, textOf } from './plain.ts';
import type { ProjectTexts } from './project-texts.ts';

/** A module that says that much passes for a version. */
const UNKNOWN = '0.0.0';
const MODULE = /^[A-Za-z_][\w/-]*\/\w+\.py$/u;

interface Named {
  readonly path: string | null;
  readonly template: string | null;
}

const NONE: Named = { path: null, template: null };

/** The step that writes it; null where the project names none, or it lies in the tree. */
export function versionFileStep(
  pyproject: Fields,
  setup: string,
  files: ProjectTexts,
): { readonly name: string; readonly run: string } | null {
  const named = [...declared(fieldsOf(pyproject['tool'])), inSetup(setup)];
  const { path, template } = named.find((each) => each.path !== null) ?? NONE;
  if (path === null || !MODULE.test(path) || files.paths.includes(path)) return null;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  if (!files.paths.some((each) => each.startsWith(folder))) return null;
  const version = /^Version:\s*(\d[\w.+!-]*)\s*$/mu.exec(files.text('PKG-INFO') ?? '')?.[1] ?? UNKNOWN;
  const lines = textOfModule(version, template).split('\n').map(quoted).join(' ');
  return { name: 'version file', run: `printf '%s\\n' ${lines} > ${quoted(path)}` };
}

function declared(tool: Fields): Named[] {
  const scm = fieldsOf(tool['setuptools_scm']);
  const hooks = fieldsOf(fieldsOf(fieldsOf(tool['hatch'])['build'])['hooks']);
  const [vcs, hatchling] = [fieldsOf(hooks['vcs']), fieldsOf(hooks['version'])];
  const versioningit = fieldsOf(fieldsOf(tool['versioningit'])['write']);
  return [
    { path: textOf(scm['version_file']), template: textOf(scm['version_file_template']) },
    { path: textOf(scm['write_to']), template: textOf(scm['write_to_template']) },
    { path: textOf(vcs['version-file']), template: textOf(vcs['template']) },
    { path: textOf(hatchling['path']), template: textOf(hatchling['template']) },
    { path: textOf(versioningit['file']), template: textOf(versioningit['template']) },
  ];
}

function inSetup(setup: string): Named {
  const body = /\buse_scm_version\s*=\s*(?:dict\(([^)]*)\)|\{([^}]*)\})/u.exec(setup);
  const text = body?.[1] ?? body?.[2] ?? '';
  const path = /['"]?(?:write_to|version_file)['"]?\s*[:=]\s*['"]([^'"]+)['"]/u.exec(text)?.[1] ?? null;
  return { path, template: null };
}

/** The template that it names where that asks for the version alone, else what `setuptools_scm` writes. */
function textOfModule(version: string, template: string | null): string {
  const own = template?.replaceAll('{version}', version).replaceAll('{version!r}', `'${version}'`);
  if (own !== undefined && own !== template && !/[{}]/u.test(own)) return own.trimEnd();
  const tuple = /^\d+(?:\.\d+)*/u.exec(version)?.[0].replaceAll('.', ', ') ?? '0';
  return `__version__ = version = '${version}'\n__version_tuple__ = version_tuple = (${tuple},)`;
}
