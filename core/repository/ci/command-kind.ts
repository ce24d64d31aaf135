/** What a command of a CI script is for, by its first words: only what is none of these can be a check. */

export type CommandKind = 'installs' | 'fetches' | 'engine' | 'asks_git' | 'tells' | 'other';

/** Words that fetch packages: the clean room has no network, and what they bring must be pinned. */
const INSTALLS =
  /^(?:(?:(?:python3?|py|uv)\s+(?:-m\s+)?)?(?:(?:pip3?|pipx|pipenv|pdm|conda|mamba|brew|gem|bundle|choco|apk|dnf|yum|flit)\s+(?:install|sync|add|update|upgrade|download|-r)|poetry\s+(?:install|config|lock|self|env|add)|uv\s+(?:sync|venv|tool install|python install|lock|add)|ensurepip\b|sync\b|(?:virtual)?venv\b)|npm\s+(?:ci|i|install|rebuild|link|add)\b|yarn(?:\s+(?:install|add|--\S+))*$|yarn\s+(?:install|add|set)\b|pnpm\s+(?:i|install|add)\b|bun\s+(?:i|install|add)\b|corepack\b|apt(?:-get)?\s+(?:-\S+\s+)*(?:update|install|upgrade)|dpkg\s+-i|go\s+(?:mod\s+(?:download|vendor|tidy)|get)\b|go\s+install\s+(?!\.)(?:-\S+\s+)*[^\s.]|cargo\s+(?:install|fetch|binstall|update|generate-lockfile)\b|rustup\b|npx\s+playwright\s+install|playwright\s+install|composer\s+install)/u;
const FETCHES =
  /^(?:curl|wget|git\s+(?:clone|submodule|pull|fetch|lfs)|docker\s+pull|aws|gcloud|az|gh|ssh|scp|rsync)\b|^(?:npm|yarn|pnpm|cargo|poetry|uv|hatch|flit|pdm|lerna|maturin)\s+(?:-\S+\s+)*publish\b|^(?:python3?\s+-m\s+)?twine\s+upload\b|^(?:npx\s+)?semantic-release\b/u;
const ENGINES =
  /^(?:docker|docker-compose|podman|kubectl|helm|terraform|minikube|kind|act|cross|systemctl|service)\b/u;
const TELLS =
  /^(?:(?:echo|printf|pwd|ls|printenv|uname|date|whoami|id|df|free|cat|which|type|true|:|sleep|tree|nproc|lscpu|hostname|head|tail|sort|wc|tr|cut|column)(?:\s|$)|(?:env|set)$|git\s+(?:config|log|status|rev-parse|branch|show|remote)\b|(?:command\s+-v|hash)\s|(?:python3?|node|npm|yarn|pnpm|bun|go|rustc|cargo|pip3?|uv|poetry|java|ruby|gcc|g\+\+|clang|cmake|make|docker|tox|nox|deno)\s+(?:--?version|-[vV]{1,2}|version|env|freeze)$|(?:pip3?|npm|uv|poetry|conda|python3?\s+-m\s+pip|uv\s+pip)\s+(?:list|ls|show|freeze|debug|config)(?:\s|$)|(?:python3?\s+-m\s+pip\s+--version)$|(?:npm|yarn|pnpm|go)\s+(?:config|env)\s|(?:node|python3?)\s+-(?:p|v|V)(?:\s+process\.versions?)?$)/u;
const ASKS_GIT =
  /(?:^|[\s("'`])git\s+(?:-\S+\s+)*(?:diff|status|ls-files|describe|log|rev-parse|rev-list|merge-base|tag|stash|add|commit|checkout|reset|push|switch|update-index|grep|worktree)\b/u;
/** Only started before the real program. */
const STARTERS =
  /^(?:sudo(?:\s+-\w+)*\s+|env\s+(?=[\w-])|time\s+(?=\S)|nice\s+(?:-n\s*\d+\s+)?|command\s+(?!-v)|xvfb-run\s+(?:-\S+\s+)*)/u;
const ASSIGNMENT = /^[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'$`;|&]*)\s+(?=\S)/u;
/** A file that is written, unless it is nowhere or the page of the run. */
const WRITES =
  /(?<![\d&<>-])\d?>{1,2}\|?\s*(?!&|\s|\/dev\/(?:null|stdout|stderr)\b|["']?\$\{?GITHUB_STEP_SUMMARY)/u;

/** Of one simple command. */
export function commandKind(command: string): CommandKind {
  const bare = withoutStarters(command);
  if (INSTALLS.test(bare)) return 'installs';
  if (FETCHES.test(bare)) return 'fetches';
  if (ENGINES.test(bare)) return TELLS.test(bare) ? 'tells' : 'engine';
  if (TELLS.test(bare) && !WRITES.test(withoutQuoted(bare)) && !runsInside(bare)) return 'tells';
  return ASKS_GIT.test(bare) ? 'asks_git' : 'other';
}

/** `env A=1 pytest` and `sudo pytest` are `pytest`. */
export function withoutStarters(command: string): string {
  let rest = command.trim();
  for (;;) {
    const next = rest.replace(STARTERS, '').replace(ASSIGNMENT, '');
    if (next === rest) return rest;
    rest = next;
  }
}

/** Runs programs that look at files and change none: nothing after them can rest on them. */
export function onlyLooks(command: string): boolean {
  return /^(?:(?:python3?\s+-m\s+|npx\s+|uv\s+run\s+|poetry\s+run\s+|hatch\s+run\s+|pdm\s+run\s+|(?:npm|yarn|pnpm)\s+(?:run\s+)?)?(?:ruff|flake8|mypy|pyright|pylint|black\s+--(?:check|diff)|isort\s+--?(?:check|c|diff)\S*|bandit|codespell|yamllint|eslint|prettier\s+(?:--check|-c)|standard|xo|tsc\s+--noEmit|pytest|mocha|jest|vitest|ava|tape|lint(?::[\w:-]+)?|typecheck|type-check|test(?::[\w:-]+)?)(?:\s|$)|go\s+(?:vet|test)\b|gofmt\s+-[ld]\b|staticcheck\b|golint\b|cargo\s+(?:fmt|clippy|test)\b|twine\s+check\b|test\s|\[\s)/u.test(
    withoutStarters(command),
  );
}

/** A command inside of another one's words, other than what only asks. */
function runsInside(command: string): boolean {
  return /\$\(|`/u.test(command.replaceAll(ASKS, ''));
}

const ASKS =
  /\$\((?:(?:pwd|date|uname|nproc|which|basename|dirname|hostname)\b[^()`;&|]*|(?:git\s+(?:rev-parse|describe|log)\b|(?:node|npm|python3?|go|rustc|cargo)\s+(?:-v|-V|--version|version|env)\b)[^()`;&|]*)\)/gu;

function withoutQuoted(command: string): string {
  return command.replaceAll(/"[^"$]*"|'[^']*'/gu, '""');
}

/** Lines that only lead the way, without a program of their own. */
export function isFlow(command: string): boolean {
  return /^(?:(?:cd|pushd|popd|set|export|shift|local|declare|readonly|return|exit|trap|wait|break|continue|shopt|unset|read|alias)(?:\s|$)|for\s+\w+(?:\s+in\s|$)|case\s|esac$|\[\[?\s+-[dfeznr]\s+\S+\s+\]\]?$|[A-Za-z_]\w*=(?:[^\s$`]*|"[^"`]*"|'[^']*')$|[\w*|"'.-]+\)$)/u.test(
    command,
  );
}
