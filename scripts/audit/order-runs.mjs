// The test commands of an order's plan, run again by plain runners on a plain checkout.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './git.mjs';
import { runInRoom } from './runners.mjs';

const CHECK = 'commands run again';
/** What a plain run shows, too. Tests that are gone, or that no failure reaches, are green there. */
const RED = new Set(['test_failed', 'command_failed', 'collection_error', 'late_error']);
const TIMEOUT_MS = 300_000;

/**
 * A PASS must be green here; a FAIL whose first finding is a test must be red. What needs packages or set-up that a plain
 * machine has not is left out and said.
 */
export async function auditOrderRuns({ repo, dir, iterations, scratch, tools }, found) {
  const { plan } = JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8'));
  const steps = plan.steps.filter(({ kind, level }) => kind === 'test_command' && level === 'L1');
  const rows = [];
  for (const { iteration, tree, verdict } of repo === null ? [] : iterations) {
    const at = `iteration-${iteration}`;
    const report = JSON.parse(readFileSync(join(dir, at, 'report.json'), 'utf8'));
    const ran = report.commands?.filter(({ level }) => level === 'L1').map(({ name }) => name) ?? [];
    const own = steps.filter(({ name }) => ran.includes(name));
    if (own.length === 0) continue;
    const folder = join(scratch, at);
    mkdirSync(join(folder, 'work'), { recursive: true });
    await git(repo, ['--work-tree', join(folder, 'work'), 'checkout', '--quiet', '--force', tree, '--', '.']);
    let isGreen = true;
    for (const step of own) {
      const argv = plainArguments(step, tools);
      if (argv === null) {
        found.note(
          CHECK,
          at,
          `"${step.name}" is left out: no plain form of ${JSON.stringify(step.count?.runner ?? step.argv)}`,
        );
        continue;
      }
      const room = argv[0] === tools.node?.program ? tools.nodeRoom : tools.room;
      const { code } = await runInRoom(room, folder, argv, {
        env: { PYTHONDONTWRITEBYTECODE: '1' },
        timeoutMs: TIMEOUT_MS,
      });
      isGreen &&= code === 0;
    }
    const [first] = report.levels.flatMap(({ findings }) => findings);
    if (verdict === 'PASS' && !isGreen) found.fail(CHECK, at, 'is recorded as PASS and is red here');
    if (verdict === 'FAIL' && RED.has(first?.code) && isGreen)
      found.fail(CHECK, at, 'is recorded as FAIL at L1 and is green here');
    const tests = report.commands.reduce((sum, each) => sum + (each.tests?.passed ?? 0), 0);
    rows.push({ commit: tree, node: at, verdict, tests, green: isGreen, red: {} });
  }
  found.done(CHECK, `${rows.length} iterations`);
  return rows;
}

function plainArguments({ count, argv }, tools) {
  const { runner, paths = [] } = count?.by === 'reporter' ? count : {};
  if (runner === 'pytest' && tools.python !== null)
    return [tools.python.program, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...paths];
  if (runner === 'node_test' && tools.node !== null) return [tools.node.program, '--test', ...paths];
  return Array.isArray(argv) && argv.length > 0 ? argv : null;
}
