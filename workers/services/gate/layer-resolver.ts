/** Pinned packages of a plan as an image of this machine: resolved once, then found in the cache. */
import type { ResolveLayer } from '../../../core/ports/repository-gate.ts';
import { normalSpec, pinProblem } from '../../../core/layers/layer-spec.ts';
import { LayerEcosystem } from '../../../schemas/layer.ts';
import type { Machine } from '../../machine.ts';

/** Asks the machine's layers; packages without exact versions are refused before anything is asked. */
export function layerResolver({ layers }: Machine): ResolveLayer {
  return async (pins) => {
    const [problem] = LayerEcosystem.options.flatMap((ecosystem) =>
      (pins[ecosystem] ?? []).flatMap((pin) => pinProblem(ecosystem, pin, true) ?? []),
    );
    if (problem !== undefined) return { problem: `${problem.reason}. ${problem.suggestion}` };
    const outcome = await layers.ensure({ spec: normalSpec(pins) });
    if (outcome.ok) return { image: outcome.image, packages: outcome.lock.packages };
    return { problem: `${outcome.problem.message}. ${outcome.problem.suggestion}` };
  };
}
