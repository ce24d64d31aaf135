/**
 * From which folders of a repository Python imports: what an editable install would add to its path. With them first, a
 * copy of the project among the packages of a layer never stands before the project itself.
 */

/** Where the checkout lies in the clean room. */
export const CHECKOUT = '/work';

const CONVENTIONAL = ['src', 'lib', 'python'];

/** Folders in which modules or packages lie by convention: `src/shop/__init__.py` gives `src`. */
export function sourceFolders(paths: readonly string[]): string[] {
  const known = new Set(paths);
  return CONVENTIONAL.filter(
    (folder) =>
      !known.has(`${folder}/__init__.py`) &&
      paths.some((path) => path.startsWith(`${folder}/`) && path.endsWith('.py')),
  );
}

/** The variable that says so; none where the checkout itself is all there is. */
export function pythonPathVariables(
  written: readonly string[] | undefined,
  paths: readonly string[],
): Readonly<Record<string, string>> {
  const folders = written ?? sourceFolders(paths);
  if (folders.length === 0) return {};
  const places = folders.map((folder) =>
    folder === '.' ? CHECKOUT : `${CHECKOUT}/${folder.replace(/\/+$/u, '')}`,
  );
  return { PYTHONPATH: places.join(':') };
}
