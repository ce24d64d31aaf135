// Types of engine-plan.mjs.

export interface BackendFacts {
  readonly platform: string;
  readonly isRoot: boolean;
  readonly isDebian: boolean;
  readonly docker: boolean;
  readonly dockerd: boolean;
  readonly bubblewrap: boolean;
}

export type BackendPlan =
  | {
      readonly kind: 'plan';
      readonly backend: 'docker' | 'bubblewrap';
      readonly packages: readonly string[];
      readonly startEngine: boolean;
    }
  | { readonly kind: 'none'; readonly reason: string; readonly nextStep: string };

export function planBackend(facts: BackendFacts): BackendPlan;
export function planAfterRefusal(facts: BackendFacts): BackendPlan;
