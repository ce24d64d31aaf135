// What became of the build, from the session's own files and commands.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ending, shownPath } from './commands.mjs';
import { readLines } from './model-endpoint.mjs';

const LINE_MAX_CHARS = 170;

/** Commits, costs, and every reason why this is not a success. */
export async function judgeResult(commands, dir, exitCode, model) {
  const status = await commands.json(['status', dir]);
  const commits = await commitsOf(join(dir, 'content'));
  const problems = [];
  if (exitCode !== 0) problems.push(`run ended with exit code ${exitCode}`);
  for (const stage of status.stages)
    if (stage.status !== 'sealed') problems.push(`stage ${stage.id} is ${stage.status}`);
  for (const node of status.nodes) {
    const count = commits.filter((commit) => commit.node === node.id).length;
    if (node.status !== 'grounded') problems.push(`node ${node.id} is ${node.status}`);
    else if (count !== 1) problems.push(`node ${node.id} has ${count} commits`);
  }
  const twice = model.paid()?.twice ?? 0;
  const unknown = status.usage.unknownAttempts;
  if (twice > unknown)
    problems.push(`${twice} calls were paid twice, and ${unknown} of them are named as unknown`);
  return { status, commits, problems };
}

/** The end of the demo as lines. */
export async function tell(dir, { status, commits, problems }) {
  const grounded = status.nodes.filter((node) => node.status === 'grounded').length;
  const head = problems.length === 0 ? 'Sealed' : `Not finished: ${problems.join('; ')}`;
  return [
    '',
    `${head}. ${grounded} of ${status.nodes.length} nodes are grounded, each with one commit:`,
    ...commits.map((commit) => `  ${commit.id} ${commit.subject}`),
    '',
    'What did not go straight, and what met it:',
    ...incidents(dir).map((line) => `  ${cut(line)}`),
    '',
    costLine(status.usage),
  ];
}

/** Commands and places for whoever wants to know more. */
export function whereToLook({ dir, home, keep, model }, shown, { status, commits }) {
  const homeShown = shownPath(home);
  const a7 = `A7_HOME=${homeShown} npx a7-rt`;
  const node = mostTried(status.nodes);
  const page = latestPage(dir);
  return [
    '',
    'Where to look next:',
    `  npx a7-rt status ${shown}`,
    `  npx a7-rt why ${shown} ${node}`,
    `  npx a7-rt narrative ${shown}`,
    ...(commits.length > 0
      ? [`  npx a7-rt verify ${shown} ${commits[0].id}      the same verdict again, in a fresh sandbox`]
      : []),
    ...(page === null
      ? []
      : [`  ${shownPath(page)}      a gate report as a page; its neighbours hold the logs`]),
    `  git -C ${shown}/content log -p`,
    keep
      ? `  Temporal pages: ${pagesOf(home)} (its server goes on running; "${a7} down" stops it)`
      : `  Temporal pages: "${a7} up" starts the demo's server again and says where; "${a7} down" stops it`,
    ...(model === null
      ? ['  the same with a real model: OPENAI_API_KEY=... npm run demo -- --model NAME']
      : []),
  ];
}

function pagesOf(home) {
  const { uiPort } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'));
  return `http://127.0.0.1:${uiPort}`;
}

/** Commits of nodes, newest first. */
async function commitsOf(content) {
  const format = '%h%x09%(trailers:key=A7-Node,valueonly,separator=%x2C)%x09%s';
  const child = spawn('git', ['-C', content, 'log', `--format=${format}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
  await ending(child);
  const rows = text.split('\n').map((line) => line.split('\t'));
  return rows.flatMap(([id, node, subject]) => (node ? [{ id, node, subject }] : []));
}

/** Refused attempts and refused tool calls of all agents, in the order in which they happened. */
function incidents(dir) {
  const found = logFiles(join(dir, 'sessions')).flatMap((path) => {
    const lines = readLines(path);
    const role = lines.find((line) => line.type === 'session_start')?.role ?? 'agent';
    const name = `${relative(join(dir, 'sessions'), path).split('/')[0]}, ${role.replace('_', ' ')}`;
    return lines.flatMap((line) => incidentOf(line, name));
  });
  const poisoned = readLines(join(dir, 'events.jsonl')).flatMap(turnOf);
  return [...found, ...poisoned].sort((a, b) => (a.at < b.at ? -1 : 1)).map((incident) => incident.text);
}

function incidentOf(line, name) {
  if (line.type === 'attempt' && line.accepted === false) {
    return [{ at: line.at, text: `${name}, attempt ${line.attempt}: ${firstReason(line.reasons)}` }];
  }
  const result = typeof line.result === 'string' ? line.result : '';
  if (line.type !== 'tool_call' || !result.startsWith('Cannot ')) return [];
  return [{ at: line.at, text: `${name}: ${result.split('\n')[0]}` }];
}

/** What the stage made of a failed node. */
function turnOf({ at, type, data }) {
  if (type === 'poisoned') return [{ at, text: `${data.root}: poisoned, and with it all that needs it` }];
  if (type === 'healed') return [{ at, text: `${data.root}: healed, and a new agent starts` }];
  return [];
}

/** Verdict and first finding of a refusal. */
function firstReason(reasons) {
  const lines = (reasons ?? []).join('\n').split('\n');
  const finding = lines.find((line) => line.startsWith('- '));
  const verdict = /^Verdict: (\w+)/.exec(lines[0] ?? '')?.[1];
  return [verdict, finding?.slice(2) ?? lines[0]].filter(Boolean).join(', ');
}

function logFiles(folder) {
  return filesBelow(folder).filter((path) => path.endsWith('.jsonl'));
}

function latestPage(dir) {
  return (
    filesBelow(join(dir, 'runs'))
      .filter((path) => path.endsWith('.html'))
      .at(-1) ?? null
  );
}

function filesBelow(folder) {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return [];
  }
}

function mostTried(nodes) {
  return [...nodes].sort((a, b) => b.dispatches - a.dispatches)[0]?.id ?? 'NODE';
}

function costLine({ calls, inputTokens, outputTokens, costMicroUsd, unknownAttempts }) {
  const cost = costMicroUsd === null ? 'unknown' : `$${(costMicroUsd / 1e6).toFixed(4)}`;
  const unknown =
    unknownAttempts === 0
      ? ''
      : `; ${unknownAttempts} attempts with unknown outcome, charged at their worst case`;
  return `${calls} model calls, ${inputTokens} tokens in, ${outputTokens} tokens out, cost ${cost}${unknown}`;
}

function cut(text) {
  return text.length <= LINE_MAX_CHARS ? text : `${text.slice(0, LINE_MAX_CHARS - 1)}…`;
}
