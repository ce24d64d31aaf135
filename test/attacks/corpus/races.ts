/** Between snapshot and verdict: trees, branches, files and rooms that change under the verifier's hands. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContentRepo } from '../../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../../adapters/git/object-store.ts';
import { createReportFiles } from '../../../adapters/report-files/report-files.ts';
import { digestText } from '../../../core/gate/report/make-report.ts';
import type { SandboxResult } from '../../../core/ports/sandbox.ts';
import { LIMITS, python, request } from '../../adapters/sandbox-backends.ts';
import { quickPlan } from '../../gate/gate-world.ts';
import { family, type Act, type Held } from '../attack.ts';
import type { Field } from '../field.ts';
import { blocked, heldBy, through } from '../perform.ts';
import { lie } from './nodes.ts';

const staged = (run: (field: Field) => Promise<Held>): Act => ({ kind: 'staged', run });

/** A tool call after the tree was handed over makes another tree. */
async function lateWrite(field: Field): Promise<Held> {
  const bytes = Buffer.from('VALUE = 1\n');
  const made = await field.store.importFiles([{ path: 'shop/thing.py', bytes }]);
  if (made.status === 'refused') return through('no base');
  const reading = field.store.files(made.tree);
  const late = await field.tools.run(
    made.tree,
    { writeSet: ['shop/thing.py'] },
    {
      tool: 'write_file',
      input: { path: 'shop/thing.py', content: 'VALUE = 2\n', intent: 'attack' },
    },
  );
  const [file] = await reading;
  const same = file !== undefined && Buffer.from(file.bytes).equals(bytes) && late.tree !== made.tree;
  return same ? blocked('immutable_tree') : through('the snapshot changed');
}

/** Two commits begin on one head. */
async function movedHead(field: Field, dirty: boolean): Promise<Held> {
  const folder = await mkdtemp(join(field.folder, 'race-'));
  const [workTree, storeDir] = [join(folder, 'content'), join(folder, 'store.git')];
  const store = await createObjectStore({ gitDir: storeDir });
  const repo = createContentRepo({ workTree, storeDir });
  try {
    await repo.init();
    const tree = async (text: string): Promise<string> => {
      const made = await store.importFiles([{ path: 'a.py', bytes: Buffer.from(text) }]);
      if (made.status === 'refused') throw new Error('refused');
      return made.tree;
    };
    const commit = async (text: string, expectedHead: string | null) =>
      repo.commit({ expectedHead, tree: await tree(text), message: text, trailers: [], dateSeconds: 1 });
    const first = await commit('one', null);
    if (first.status !== 'committed') return through(`no first commit: ${first.status}`);
    if (dirty) await writeFile(join(workTree, 'a.py'), 'work of a person\n');
    const second = await commit('two', dirty ? first.commit : null);
    return second.status === 'committed' ? through('the branch moved') : blocked(second.status);
  } finally {
    await Promise.all([store.close(), repo.close()]);
  }
}

/** A PASS stored over a verdict that is there. */
async function overwrittenReport(field: Field): Promise<Held> {
  const { contract, around, codePath, locked } = await field.node('inside');
  const { report } = await field.gate.verify({
    contract,
    texts: { ...around, [codePath]: lie('def parse(text): return 2') },
    kind: 'code',
    locked,
    plan: quickPlan(contract),
  });
  const reports = createReportFiles(await mkdtemp(join(field.folder, 'reports-')));
  await reports.put(report);
  const { digest: _, ...forged } = { ...report, verdict: 'PASS' as const, fault: null };
  const unsealed = await reports.put({ ...report, verdict: 'PASS', fault: null }).catch(() => null);
  if (unsealed !== null) return through('a report is kept that is not what its digest says');
  const digest = `sha256:${createHash('sha256').update(digestText(forged)).digest('hex')}`;
  const kept = await reports.put({ ...forged, digest });
  return kept.verdict === 'PASS' ? through('the forged report is kept') : blocked('first_report_wins');
}

/** Swaps a file for a link to the host for as long as anybody reads. */
async function swappedFile(field: Field): Promise<Held> {
  const { rooms, host } = field;
  const secret = `${host.folder}/files/secret.txt`;
  const result = await rooms.sandbox.run(
    request(rooms.image, {
      argv: python(
        'import os, time',
        'if os.fork() == 0:',
        '    os.setsid()',
        '    while True:',
        '        try:',
        '            open("/work/n", "w").write("x"); os.rename("/work/n", "/work/f")',
        `            os.symlink(${JSON.stringify(secret)}, "/work/l"); os.rename("/work/l", "/work/f")`,
        '        except OSError: pass',
        'time.sleep(0.3)',
      ),
      collect: ['/work'],
    }),
  );
  const texts = (result.files['/work'] ?? []).map(({ bytes }) => Buffer.from(bytes).toString());
  if (texts.some((text) => text.includes(host.canary))) return through('the canary came out');
  if (result.outcome.kind !== 'exited') return through(`the room ended as ${result.outcome.kind}`);
  return blocked(result.refused[0]?.reason ?? 'killed_before_collection');
}

const LATER_MAX = 10;

async function later({ rooms }: Field, key: string): Promise<SandboxResult> {
  await new Promise((resolve) => setTimeout(resolve, 700));
  return rooms.sandbox.run(request(rooms.image, { key, argv: ['true'] }));
}

/** An attempt that was given up ends late and answers. */
async function lateAttempt(field: Field): Promise<Held> {
  const { rooms } = field;
  const key = `race-${randomUUID()}`;
  const first = rooms.sandbox.run(
    request(rooms.image, { key, argv: ['sleep', '20'], limits: { ...LIMITS, wallMs: 30_000 } }),
  );
  const state: { isOver: boolean } = { isOver: false };
  void first.then(() => (state.isOver = true));
  let second = await later(field, key);
  // On a busy machine the first may not have begun when the second came: nothing was taken from it then.
  for (let attempt = 1; attempt < LATER_MAX && !state.isOver; attempt += 1) second = await later(field, key);
  const { outcome } = await first;
  if (second.outcome.kind !== 'exited') return through(`the later attempt: ${second.outcome.kind}`);
  return outcome.kind === 'lost' ? blocked('lost') : through(`the earlier attempt: ${outcome.kind}`);
}

/** Code that changes its own files while it is judged; the next command of the plan must see the snapshot. */
async function selfChanging(field: Field): Promise<Held> {
  const { contract, around, codePath, locked } = await field.node('inside');
  const source = lie(
    'if os.path.exists("/tmp/was-here"): parse = lambda text: 1230',
    'else:',
    '    open("/tmp/was-here", "w").close()',
    '    open(__file__, "a").write("\\n# changed")',
    '    def parse(text): return 1',
  );
  const { report } = await field.gate.verify({
    contract,
    texts: { ...around, [codePath]: source },
    kind: 'code',
    locked,
    plan: quickPlan(contract, {}, 2),
  });
  const held = heldBy(report);
  return report.levels.some((level) => level.findings.some((found) => found.code === 'flaky'))
    ? through('the second run saw what the first left')
    : held;
}

export const RACES = family('races', {
  'a write after the snapshot': staged(lateWrite),
  'a commit on a head that moved': staged((field) => movedHead(field, false)),
  'a file changed by hand before the commit': staged((field) => movedHead(field, true)),
  'a PASS stored over a FAIL': staged(overwrittenReport),
  'a file swapped for a link while it is collected': staged(swappedFile),
  'an attempt that ends late': staged(lateAttempt),
  'code that changes itself between two runs': staged(selfChanging),
  'a suite changed after its lock': {
    kind: 'code',
    node: 'walled',
    source: lie('def parse(text): return 1'),
    files: { 'tests/shop_thing/test_it.py': 'from shop.thing import parse\ndef test_value(): pass\n' },
  },
});
