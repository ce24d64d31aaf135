/** Nodes of JavaScript and TypeScript whose main file their package takes for CommonJS: stubs and suites are modules. */
import type { ResolvedContract } from '../../schemas/contract.ts';

export interface CommonJsNode {
  readonly nodeId: string;
  readonly file: string;
  /** The manifest that says so. */
  readonly manifest: string;
}

/** @param manifests text of each `package.json` by its path. One without `type` leaves the choice to each file. */
export function commonJsNodes(
  resolved: readonly ResolvedContract[],
  manifests: ReadonlyMap<string, string>,
): readonly CommonJsNode[] {
  return resolved.flatMap(({ id, language, contentFile }) => {
    if (language === 'python' || !/\.[jt]sx?$/u.test(contentFile)) return [];
    const manifest = nearest(contentFile, manifests);
    const isCommon = manifest !== null && /"type"\s*:\s*"commonjs"/u.test(manifests.get(manifest) ?? '');
    return isCommon ? [{ nodeId: id, file: contentFile, manifest }] : [];
  });
}

/** Of the file's folder, or of the nearest above it. */
function nearest(path: string, manifests: ReadonlyMap<string, string>): string | null {
  const parts = path.split('/').slice(0, -1);
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const found = [...parts.slice(0, depth), 'package.json'].join('/');
    if (manifests.has(found)) return found;
  }
  return null;
}
