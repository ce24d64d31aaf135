/** Pinned packages of a plan as an image of this machine. */
import type { ResolveLayer } from '../../../core/ports/repository-gate.ts';
import type { Machine } from '../../machine.ts';

/** Says that there are none: this machine's sandboxes have the plain image only. */
export function layerResolver(machine: Machine): ResolveLayer {
  return () =>
    Promise.resolve({
      problem: `image ${machine.image} has no layer with them, and this version makes none`,
    });
}
