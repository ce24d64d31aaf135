/** The services behind `a7-rt gate`, each loaded when it is first asked for. */
import type { GateServices } from '../../../core/ports/gate-services.ts';
import type { Surroundings } from '../common.ts';

/** Wired for this process. */
export function createGateServices(around: Surroundings): GateServices {
  return {
    init: async (repo, profile, isTried = true) =>
      (await import('./init.ts')).gateInit(around, repo, profile, isTried),
    show: async (repo) => (await import('./show.ts')).gateShow(around, repo),
    check: async (repo, backend) => (await import('./check.ts')).gateCheck(around, repo, backend),
    run: async (asked, stop) => (await import('./run.ts')).gateRun(around, asked, stop),
    installHook: async (repo, program) => (await import('./hook.ts')).installHook(around, repo, program),
  };
}
