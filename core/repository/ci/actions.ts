/** Actions that CI workflows use: by what each is replaced, or why it judges nothing, or why it cannot be taken over. */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import { plainText } from './expressions.ts';
import type { RepositoryStep, RuntimeTool } from '../../../schemas/repository-steps.ts';

export interface IngestedStep {
  readonly outcome: 'KEPT' | 'REPLACED' | 'DROPPED' | 'REFUSED';
  readonly what: string;
  readonly why: string;
  readonly steps: readonly RepositoryStep[];
}

const RUNTIMES: Readonly<Record<string, readonly [RuntimeTool, string]>> = {
  'actions/setup-python': ['python', 'python-version'],
  'actions/setup-node': ['node', 'node-version'],
  'actions/setup-go': ['go', 'go-version'],
  'actions-rs/toolchain': ['rust', 'toolchain'],
  'actions-rust-lang/setup-rust-toolchain': ['rust', 'toolchain'],
  'hecrj/setup-rust-action': ['rust', 'rust-version'],
  'dtolnay/rust-toolchain': ['rust', 'toolchain'],
};

/** What brings a client of packages: the plan's own packages stand for what it would fetch. */
const PACKAGE_CLIENTS =
  /^(?:baptiste0928\/cargo-install|cargo-bins\/cargo-binstall|dtolnay\/install|pnpm\/action-setup|astral-sh\/setup-uv|snok\/install-poetry|abatilo\/actions-poetry|pdm-project\/setup-pdm|eifinger\/setup-(?:rye|uv)|taiki-e\/install-action|actions-rs\/install)$/u;

/** What judges nothing: caches, reports, notes to people, logins, clean-ups, publishing. */
const JUDGES_NOTHING =
  /^(?:actions\/(?:cache(?:\/.*)?|upload-artifact(?:\/.*)?|download-artifact|github-script|labeler|stale|configure-pages|deploy-pages|upload-pages-artifact|first-interaction|add-to-project|create-release|attest-build-provenance|create-github-app-token)|codecov\/.*|coverallsapp\/.*|codacy\/.*|swatinem\/rust-cache|leafo\/.*cache|mozilla-actions\/sccache-action|hendrikmuhs\/ccache-action|step-security\/harden-runner|softprops\/.*|ncipollo\/.*|svenstaro\/.*|peaceiris\/.*|jamesives\/.*|pypa\/gh-action-pypi-publish|docker\/(?:login|setup-.*|metadata)-action|aws-actions\/.*|google-github-actions\/.*|azure\/login|slackapi\/.*|8398a7\/.*|rtcamp\/.*|.*\/.*slack.*|.*\/.*discord.*|peter-evans\/.*|stefanzweifel\/.*|ad-m\/github-push-action|dorny\/test-reporter|mikepenz\/.*|enricomi\/publish-unit-test-result-action.*|5monkeys\/cobertura-action|dependabot\/fetch-metadata|fastify\/github-action-merge-dependabot|styfle\/cancel-workflow-action|jlumbroso\/free-disk-space|easimon\/maximize-build-space|webfactory\/ssh-agent|crazy-max\/.*|release-drafter\/.*|goreleaser\/.*|changesets\/action|googleapis\/release-please-action|deepsourcelabs\/.*|madrapps\/jacoco-report|mxschmitt\/action-tmate|re-actors\/alls-green|release-plz\/action|marcoieni\/release-plz-action|shogo82148\/actions-goveralls|rustcrypto\/actions\/cargo-cache|r7kamura\/rust-problem-matchers|(?:benchmark-action|rhysd)\/github-action-benchmark|rust-lang\/crates-io-auth-action|test-summary\/action|fuxingloh\/multi-labeler|dorny\/paths-filter|tj-actions\/changed-files|sigstore\/.*|thollander\/.*|marocchino\/.*|actions-cool\/.*|appleboy\/.*|vercel\/.*|amondnet\/.*|superfly\/.*|netlify\/.*|nwtgck\/.*|burnett01\/.*)$/iu;

/** What judges the words and labels of a pull request: no file of a tree changes what it says. */
const JUDGES_THE_REQUEST =
  /^(?:amannn\/action-semantic-pull-request|mheap\/github-action-required-labels|micnncim\/action-label-syncer|jesusvasquez333\/verify-pr-label-action|yogevbd\/enforce-label-action|christophebedard\/dco-check|gsactions\/commit-message-checker|thehanimo\/pr-title-checker|srvaroa\/labeler|jinzhu\/super-labeler-action)$/iu;

/** What judges by a program or a service that is not there. */
const JUDGES_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^golangci\/golangci-lint-action$/u, 'golangci-lint'],
  [/^(?:astral-sh|chartboost)\/ruff-action$/u, 'ruff'],
  [/^psf\/black$/u, 'black'],
  [/^pre-commit\/action$/u, 'pre-commit'],
  [/^(?:super-linter|github)\/super-linter.*$/u, 'super-linter'],
  [/^github\/codeql-action\/.*$/u, 'CodeQL'],
  [/^crate-ci\/typos$/u, 'typos'],
  [/^embarkstudios\/cargo-deny-action$/iu, 'cargo-deny'],
  [/^(?:rustsec|actions-rs)\/audit-check$/u, 'cargo-audit'],
  [/^aquasecurity\/trivy-action$/u, 'trivy'],
  [/^(?:sonarsource)\/.*$/iu, 'SonarQube'],
  [/^pyo3\/maturin-action$/iu, 'maturin'],
  [/^fossas\/fossa-action$/u, 'a scanner'],
  [/^(?:gitleaks|trufflesecurity)\/.*$/u, 'a search for secrets'],
  [/^docker\/build-push-action$/u, 'docker build'],
  [/^(?:cypress-io\/github-action|microsoft\/playwright-github-action)$/u, 'a browser'],
  [
    /^(?:hadolint\/hadolint-action|ludeeus\/action-shellcheck|rhysd\/actionlint|reviewdog\/.*|ibiqlik\/action-yamllint|actionsx\/prettier)$/u,
    'a linter',
  ],
  [/^actions\/(?:setup-java|setup-dotnet)$/u, 'a runtime that is not in the image'],
  [/^(?:golang\/govulncheck-action|.*\/govulncheck)$/u, 'govulncheck'],
  [/^actions\/dependency-review-action$/u, 'the service itself'],
  [
    /^(?:ossf\/scorecard-action|google\/oss-fuzz\/.*|zizmorcore\/.*|securego\/gosec|bearer\/.*|snyk\/.*|anchore\/.*|step-security\/(?!harden-runner).*)$/iu,
    'a scanner',
  ],
  [
    /^(?:bufbuild\/.*|dominikh\/staticcheck-action|isort\/isort-action|davidanson\/markdownlint.*|lycheeverse\/.*|codespell-project\/.*|wagoid\/commitlint.*|amannn\/.*|obi1kenobi\/.*|rojopolis\/.*|j178\/prek-action|cocogitto\/.*|errata-ai\/.*|jakebailey\/pyright-action|chainguard-dev\/actions\/(?:trailing-space|eof-newline))$/iu,
    'a linter',
  ],
  [
    /^(?:docker\/bake-action.*|hoverkraft-tech\/compose-action|helm\/.*|medyagh\/.*|supabase\/.*|vmactions\/.*|cross-platform-actions\/.*)$/iu,
    'an engine or a machine of its own',
  ],
  [
    /^(?:jdx\/mise-action|cashapp\/activate-hermit|asdf-vm\/.*|(?:[^/]+)\/(?:setup|install)-[^/]+(?:\/.*)?|[^/]+\/[^/]+\/setup(?:-[^/]+)?|[^/]+\/setup-action(?:\/.*)?|awalsh128\/.*)$/iu,
    'the program that it brings',
  ],
  [
    /^(?:ruby\/setup-ruby|shivammathur\/setup-php|oven-sh\/setup-bun|denoland\/setup-deno|erlef\/setup-beam|subosito\/flutter-action|dart-lang\/setup-dart|julia-actions\/.*|haskell-actions\/setup|r-lib\/actions\/.*|gradle\/.*|android-actions\/.*|swift-actions\/.*|cachix\/.*|determinatesystems\/.*|hashicorp\/.*|mlugg\/setup-zig|goto-bus-stop\/setup-zig|mamba-org\/.*|conda-incubator\/.*)$/iu,
    'a runtime that is not in the image',
  ],
];

/** A step that uses an action. @param given its inputs, expanded */
export function readUses(
  uses: string,
  given: Readonly<Record<string, unknown>>,
  source: PlanSource,
): IngestedStep {
  const [action = '', tag = ''] = uses.split('@');
  const step = (
    outcome: IngestedStep['outcome'],
    why: string,
    steps: readonly RepositoryStep[] = [],
  ): IngestedStep => ({
    outcome,
    what: uses === '' ? 'step' : uses,
    why,
    steps,
  });
  if (action === 'actions/checkout') {
    const other = given['repository'];
    return other === undefined || other === ''
      ? step('REPLACED', 'by the snapshot')
      : step('REFUSED', 'it fetches another repository; lay what is needed into this one');
  }
  if (JUDGES_NOTHING.test(action)) return step('DROPPED', 'it judges nothing');
  if (JUDGES_THE_REQUEST.test(action))
    return step('DROPPED', 'it judges the words and labels of a pull request, and no file');
  if (PACKAGE_CLIENTS.test(action)) return step('REPLACED', "by the plan's own packages");
  const runtime = RUNTIMES[action];
  if (runtime !== undefined) {
    const [tool, field] = runtime;
    const version = versionOf(given[field] ?? (action === 'dtolnay/rust-toolchain' ? tag : undefined));
    const wanted = version === null ? tool : `${tool} ${version}`;
    if (version === undefined) return step('REFUSED', versionRefused(tool, given[field] ?? tag, field));
    return step('REPLACED', `by a look for ${wanted}`, [
      { kind: 'runtime', level: 'L1', source, tool, version },
    ]);
  }
  const elsewhere = JUDGES_ELSEWHERE.find(([pattern]) => pattern.test(action))?.[1];
  if (elsewhere !== undefined)
    return step(
      'REFUSED',
      `it needs ${elsewhere}, which the clean room does not have; write the check with its own command, or leave it to the CI service`,
    );
  return step(
    'REFUSED',
    action.startsWith('docker:') ? 'it runs an image of its own' : 'this action is not known',
  );
}

function versionRefused(tool: RuntimeTool, value: unknown, field: string): string {
  const named = plainText(value);
  return tool === 'rust' && /^(?:nightly|beta)/u.test(named)
    ? ofOtherRust(named)
    : `${field} must be a plain version like 3.11`;
}

/** What only another release channel has: the compiler of the clean room is a stable one of Debian. */
export function ofOtherRust(channel: string): string {
  return `it needs Rust ${channel}, and the clean room has a stable one; write what stable can judge under tests, or leave it to the CI service`;
}

/** Null: any version; undefined: none that we understand. `20.x` is `20`; of a list the first. */
function versionOf(value: unknown): string | null | undefined {
  if (value === undefined || value === '') return null;
  const [word = ''] = plainText(value)
    .trim()
    .split(/[\s,]+/u);
  // `stable-x86_64-unknown-linux-gnu`: the machine is that of the clean room.
  const first = word.replace(/-(?:x86_64|aarch64)-.*$/u, '');
  if (
    /^(?:lts(?:\/.*)?|latest|current|stable|node|\*|x|nightly|beta|master|main|3\.x|oldstable|v\d+)$/iu.test(
      first,
    )
  )
    return /^(?:nightly|beta)$/u.test(first) ? undefined : null;
  const text = first
    .replace(/^[~^v]/u, '')
    .replace(/(\.[x*])+$/u, '')
    .replace(/-dev$/u, '');
  return /^(?:>=)?\d+(\.\d+){0,2}$/u.test(text) ? text : undefined;
}
