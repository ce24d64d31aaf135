/** Pinned packages of a plan as an image of this machine: resolved once, then found in the cache. */
import type { ResolveLayer } from '../../../core/ports/repository-gate.ts';
import { LayerSpec } from '../../../schemas/layer.ts';
import type { Machine } from '../../machine.ts';

/** Asks the machine's layers; packages without exact versions are refused before anything is asked. */
export function layerResolver({ layers }: Machine): ResolveLayer {
  return async (spec) => {
    const checked = LayerSpec.safeParse(spec);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const pin = valueAt(spec, issue?.path ?? []);
      return { problem: `"${pin}" ${issue?.message ?? 'is no exact pin'}` };
    }
    const outcome = await layers.ensure({ spec: checked.data });
    if (outcome.ok) return { image: outcome.image };
    return { problem: `${outcome.problem.message}. ${outcome.problem.suggestion}` };
  };
}

function valueAt(spec: LayerSpec, [ecosystem, index]: readonly PropertyKey[]): string {
  const list =
    ecosystem === 'python' || ecosystem === 'node' || ecosystem === 'debian' ? spec[ecosystem] : [];
  return (typeof index === 'number' ? list[index] : undefined) ?? String(ecosystem);
}
