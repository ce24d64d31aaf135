/**
 * Plugins that pytest's own settings speak of. Example: `addopts = "--cov=parse"` fails as a whole where pytest-cov is not
 * there, and no list of requirements needs to name it.
 */
import { readIni } from './ini.ts';
import { type Fields, fieldsOf, listOf, textOf } from './plain.ts';
import type { ProjectTexts } from './project-texts.ts';

/** Options in `addopts`, and names of settings, by the package that brings them. */
const BRINGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:--cov(?:-.*)?|--no-cov.*)$/u, 'pytest-cov'],
  [/^(?:-n\w*|--numprocesses|--dist|--maxprocesses|--loadscope|looponfailroots)$/u, 'pytest-xdist'],
  [/^(?:--asyncio-mode|asyncio_mode|asyncio_default_.*)$/u, 'pytest-asyncio'],
  [/^(?:--timeout(?:-method)?|timeout|timeout_method)$/u, 'pytest-timeout'],
  [/^--benchmark-.*$/u, 'pytest-benchmark'],
  [/^(?:--reruns(?:-delay)?)$/u, 'pytest-rerunfailures'],
  [/^--randomly-.*$/u, 'pytest-randomly'],
  [/^--random-order.*$/u, 'pytest-random-order'],
  [/^(?:--doctest-(?:plus|rst|ufunc)|doctest_plus)$/u, 'pytest-doctestplus'],
  [/^--(?:x)?doctest-(?:style|options)$|^--xdoctest.*$/u, 'xdoctest'],
  [/^--mypy(?:-.*)?$/u, 'pytest-mypy'],
  [/^--(?:flake8|flakes)$/u, 'pytest-flake8'],
  [/^--ruff(?:-.*)?$/u, 'pytest-ruff'],
  [/^--black$/u, 'pytest-black'],
  [/^--isort$/u, 'pytest-isort'],
  [/^--hypothesis-.*$/u, 'hypothesis'],
  [/^--snapshot-.*$/u, 'syrupy'],
  [/^--html.*$/u, 'pytest-html'],
  [/^(?:--disable-socket|--allow-hosts)$/u, 'pytest-socket'],
  [/^(?:django_settings_module|--ds|--reuse-db)$/iu, 'pytest-django'],
];
/** What a `-p` in `addopts` or `required_plugins` names, where the package is called otherwise. */
const INSTEAD: Readonly<Record<string, string>> = { xdist: 'pytest-xdist', pytest_cov: 'pytest-cov' };

/** Requirements, as they would stand in a list. */
export function pluginsOf(pyproject: Fields, { text }: ProjectTexts): string[] {
  const table = fieldsOf(fieldsOf(fieldsOf(pyproject['tool'])['pytest'])['ini_options']);
  const found = [
    ...Object.entries(table),
    ...(readIni(text('pytest.ini') ?? '').get('pytest') ?? []),
    ...(readIni(text('tox.ini') ?? '').get('pytest') ?? []),
    ...(readIni(text('setup.cfg') ?? '').get('tool:pytest') ?? []),
  ];
  const names = found.flatMap(([key, value]) => {
    if (key === 'required_plugins') return wordsOf(value);
    const words = key === 'addopts' ? optionsOf(wordsOf(value)) : [key];
    return words.flatMap((word) => broughtBy(word) ?? []);
  });
  return [...new Set(names)];
}

function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? listOf(value) : (textOf(value) ?? '').split(/\s+/u);
  return words.filter((word) => typeof word === 'string' && word !== '') as string[];
}

/** `--cov=shop` is `--cov`; `-n auto` and `-nauto` are `-n`. */
function optionsOf(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (words[index - 1] === '-p') return INSTEAD[word] === undefined ? [] : [`-p ${word}`];
    return word.startsWith('-') ? [word.replace(/=.*$/u, '')] : [];
  });
}

function broughtBy(word: string): string | undefined {
  if (word.startsWith('-p ')) return INSTEAD[word.slice(3)];
  return BRINGS.find(([option]) => option.test(word))?.[1];
}
