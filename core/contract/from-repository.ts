/** What the files of a repository say about nodes that shall be built in it. */
import type { Language } from '../../schemas/ids.ts';
import type { ProfileName } from '../../schemas/verify-profile.ts';
import { sourceFolders } from '../repository/python-path.ts';

type NodeLanguage = Extract<Language, 'python' | 'javascript' | 'typescript'>;

const ENDINGS: Readonly<Record<NodeLanguage, RegExp>> = {
  python: /\.py$/u,
  javascript: /\.[cm]?js$/u,
  typescript: /\.[cm]?ts$/u,
};
/** Folders that hold no product code. */
const OTHER_FOLDERS =
  /^(?:tests?|spec|docs?|examples?|scripts?|tools?|benchmarks?|build|dist|node_modules|\..*)$/u;

/** The language of its nodes, with a word where that was a choice; null where none of ours is there. */
export function nodeLanguage(
  profile: ProfileName | null,
  paths: readonly string[],
): { readonly language: NodeLanguage; readonly notes: readonly string[] } | null {
  const script = paths.some((path) => /(?:^|\/)tsconfig\.json$/u.test(path)) ? 'typescript' : 'javascript';
  if (profile === 'python') return { language: 'python', notes: [] };
  if (profile === 'node') return { language: script, notes: [] };
  const there = (['python', script] as const).filter((each) =>
    paths.some((path) => ENDINGS[each].test(path)),
  );
  const [language] = there;
  if (language === undefined) return null;
  const notes = [
    `The repository has several languages: nodes are in ${language}; "language" in contracts.yaml changes that`,
  ];
  return { language, notes };
}

/**
 * Where new modules belong: the package that most lies in, and for Python the folder that it is imported from.
 * `src/shop/money.py` and others give `shop` below `src`.
 */
export function chosenPlace(
  language: NodeLanguage,
  paths: readonly string[],
): { readonly sourceRoot: string | null; readonly folder: string } {
  const folder = chosenFolder(language, paths);
  if (language !== 'python' || !sourceFolders(paths).includes(folder)) return { sourceRoot: null, folder };
  const below = paths.filter((path) => path.startsWith(`${folder}/`));
  const inner = below.map((path) => path.slice(folder.length + 1));
  return { sourceRoot: folder, folder: chosenFolder(language, inner) };
}

/** The folder at the top that holds most files of the language; `app` where all lies at the top. */
function chosenFolder(language: NodeLanguage, paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths.filter((each) => ENDINGS[language].test(each))) {
    const [folder = '', rest] = path.split('/');
    if (rest === undefined || OTHER_FOLDERS.test(folder) || !/^\w+$/u.test(folder)) continue;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return first?.[0] ?? 'app';
}
