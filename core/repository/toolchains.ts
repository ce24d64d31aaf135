/** Compilers that the image lacks: a plan that asks for Go or Rust gets their Debian packages as a layer, without being told to. */
import { GO_PLACES, isGoToolchain } from '../layers/go-modules.ts';
import { joinedSpec } from '../layers/layer-spec.ts';
import type { LayerSpec } from '../../schemas/layer.ts';
import type { RepositoryStep, RepositoryStepOf, RuntimeTool } from '../../schemas/repository-steps.ts';

interface Compiler {
  readonly packages: readonly string[];
  /** A Debian package that brings it: a plan that names one chooses by itself. */
  readonly brings: RegExp;
  /** No network is there: a missing module is said at once, instead of after a search for a server. */
  readonly variables: Readonly<Record<string, string>>;
}

const COMPILERS: Partial<Readonly<Record<RuntimeTool, Compiler>>> = {
  go: {
    packages: ['golang-go'],
    brings: /^golang/u,
    // Without a C compiler, so that net and os/user need none.
    variables: { CGO_ENABLED: '0', GOPROXY: 'off', GOTOOLCHAIN: 'local' },
  },
  rust: {
    // Debian 12 has Rust twice: these follow newer releases, as crates do.
    packages: ['cargo-web', 'gcc', 'libc6-dev', 'rustc-web'],
    brings: /^(rustc|cargo)/,
    // A fresh checkout has no use for what a next build would be faster with; lines are all that a test reads of debug information.
    variables: { CARGO_NET_OFFLINE: 'true', CARGO_INCREMENTAL: '0', CARGO_PROFILE_DEV_DEBUG: '1' },
  },
};

/** The steps, and one of dependencies for each runtime whose compiler none of them brings. */
export function withToolchains(steps: readonly RepositoryStep[]): RepositoryStep[] {
  const own = steps.filter((step) => step.kind === 'dependencies');
  const named = own.flatMap((step) => [...step.debian, ...(step.go ?? []).filter(isGoToolchain)]);
  const seen = new Set<RuntimeTool>();
  return steps.flatMap((step): RepositoryStep[] => {
    if (step.kind !== 'runtime' || seen.has(step.tool)) return [step];
    seen.add(step.tool);
    const compiler = COMPILERS[step.tool];
    if (compiler === undefined || named.some((name) => compiler.brings.test(name))) return [step];
    const debian = [...compiler.packages];
    const { source } = step;
    return [step, { kind: 'dependencies', level: 'L1', source, python: [], node: [], debian }];
  });
}

/** What the compilers of a plan find in their environment. */
export function toolchainVariables(steps: readonly RepositoryStep[]): Record<string, string> {
  const tools = steps.flatMap((step) => (step.kind === 'runtime' ? [step.tool] : []));
  const { go = [] } = allDependencies(steps);
  const laid = go.length === 0 ? {} : { GOPROXY: `file://${GO_PLACES.proxy}`, GOSUMDB: 'off' };
  return {
    ...(Object.assign({}, ...tools.map((tool) => COMPILERS[tool]?.variables)) as Record<string, string>),
    ...laid,
  };
}

/** All packages of a plan, over its steps. */
export function allDependencies(
  steps: readonly { readonly kind: string }[],
): LayerSpec & { readonly from: readonly string[] } {
  const own = steps.filter((step): step is RepositoryStepOf<'dependencies'> => step.kind === 'dependencies');
  return { ...joinedSpec(own), from: [...new Set(own.map((step) => step.source.detail))] };
}
