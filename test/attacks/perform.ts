/** Carries out one attack and looks for its effect. */
import type { GateReport } from '../../schemas/report.ts';
import { MIB } from '../adapters/sandbox-backends.ts';
import { quickPlan } from '../gate/gate-world.ts';
import type { Act, Attack, Held } from './attack.ts';
import type { AttackedNode } from './corpus/nodes.ts';
import type { Field } from './field.ts';
import { doorActs } from './door-acts.ts';
import { guestActs, neighbourActs } from './guest-acts.ts';
import { linkedTree } from './linked-tree.ts';
import { tarOf } from './tar-entries.ts';

/** The attack's outcome; an act that went wrong in a way nobody foresaw counts as through: nothing was proven to hold. */
export async function perform(field: Field, attack: Attack, all: readonly Attack[]): Promise<Held> {
  try {
    return await performAct(field, attack, all);
  } catch (error) {
    return through(
      `not held by a rule: ${error instanceof Error ? error.message : String(error)}`.slice(0, 300),
    );
  }
}

async function performAct(field: Field, attack: Attack, all: readonly Attack[]): Promise<Held> {
  const { act } = attack;
  switch (act.kind) {
    case 'code':
      return codeAct(field, act);
    case 'suite':
      return suiteAct(field, act);
    case 'tool':
      return toolAct(field, act);
    case 'archive':
      return archiveAct(field, act);
    case 'import':
      return importAct(field, act);
    case 'guest':
      return (await guestActs(field, all)).get(attack.name) ?? through('the room told nothing of it');
    case 'neighbour':
      return (await neighbourActs(field, all)).get(attack.name) ?? through('the room told nothing of it');
    case 'door':
      return (await doorActs(field, all)).get(attack.name) ?? through('the room told nothing of it');
    case 'staged':
      return act.run(field);
  }
}

export function through(reason: string): Held {
  return { outcome: 'got_through', reason };
}

export function blocked(reason: string): Held {
  return { outcome: 'blocked', reason };
}

/** PASS is through, and so is a fault that nobody is charged for: it earns a free try. */
export function heldBy(report: GateReport): Held {
  const found = report.levels.flatMap((level) => level.findings);
  const reason = found[0]?.limit === null || found[0] === undefined ? '' : ` (${found[0].limit.name})`;
  const word = `${found[0]?.code ?? 'no finding'}${reason}`;
  if (report.verdict === 'PASS') return through('PASS');
  if (report.fault === 'platform') return through(`charged to nobody: ${word}`);
  return { outcome: 'detected', reason: word };
}

/** Tries of an attempt that the platform lost: as many as the product makes (gate.md part 5). */
const TRIES = 3;

async function codeAct(field: Field, act: Extract<Act, { kind: 'code' }>): Promise<Held> {
  const node = await field.node(act.node);
  let report = await judgeOnce(field, node, act);
  for (let tries = 1; tries < TRIES && report.fault === 'platform'; tries += 1)
    report = await judgeOnce(field, node, act);
  return heldBy(report);
}

async function judgeOnce(
  field: Field,
  node: AttackedNode,
  act: Extract<Act, { kind: 'code' }>,
): Promise<GateReport> {
  const { report } = await field.gate.verify({
    contract: node.contract,
    texts: { ...node.around, [node.codePath]: act.source, ...act.files },
    kind: 'code',
    locked: node.locked,
    plan: quickPlan(
      node.contract,
      { memoryBytes: 192 * MIB, diskBytes: 32 * MIB, filesMax: 2_000, ...act.limits },
      act.judges ?? 1,
    ),
    changedPaths: act.changedPaths ?? [],
  });
  return report;
}

async function suiteAct(field: Field, act: Extract<Act, { kind: 'suite' }>): Promise<Held> {
  const { contract } = await field.node('inside');
  const { report } = await field.gate.suite(
    contract,
    { 'shop/__init__.py': '', ...act.files },
    {
      E1: ['*'],
      E2: ['*'],
      E3: ['*'],
      R1: ['*'],
    },
  );
  return heldBy(report);
}

/** A builder's own files, and what lies round them in the tree. */
const WRITE_SET = ['shop/thing.py', 'shop/thing/**'];

async function toolAct(field: Field, act: Extract<Act, { kind: 'tool' }>): Promise<Held> {
  const base = await field.store.importFiles(
    ['shop/thing.py', 'shop/tax.py', 'tests/shop_thing/test_it.py'].map((path) => ({
      path,
      bytes: Buffer.from('VALUE = 1\n'),
    })),
  );
  if (base.status === 'refused') throw new Error('the base tree was refused');
  const tree = act.base === 'linked' ? await withLink(field, base.tree) : base.tree;
  const result = await field.tools.run(tree, { writeSet: WRITE_SET }, act.call);
  if (result.tree !== tree) return through('the tree changed');
  if (result.text.includes(field.host.canary)) return through('the answer holds a file of the host');
  if (result.status === 'failure') return blocked(result.errorType);
  return result.text.includes('VALUE = 1') ? through('the answer shows the file') : blocked('nothing_found');
}

/** A link to a file of the host, as a person's own base may hold one. */
async function withLink(field: Field, tree: string): Promise<string> {
  const target = await field.store.importFiles([
    { path: 'target', bytes: Buffer.from(`${field.host.folder}/files/secret.txt`) },
  ]);
  if (target.status === 'refused') throw new Error('the target was refused');
  const found = await field.store.lookup(target.tree, 'target');
  if (found.kind !== 'file') throw new Error('the target is no file');
  return linkedTree(`${field.folder}/store.git`, tree, 'shop', 'thing', found.entry.oid);
}

async function archiveAct(field: Field, act: Extract<Act, { kind: 'archive' }>): Promise<Held> {
  const bytes = tarOf([{ name: '0/fine', body: 'fine' }, ...act.entries]);
  const { files, refused } = await field.readArchive(bytes, { filesMax: 100, bytesMax: MIB });
  const came = [...files].flatMap(([folder, list]) => list.map((file) => `${folder}/${file.path}`));
  const strange = came.filter((name) => name !== '0/fine');
  if (strange.length > 0) return through(`came out: ${strange.join(', ')}`);
  const reason = refused[0]?.reason;
  return reason === undefined ? through('nothing was refused') : blocked(reason);
}

async function importAct(field: Field, act: Extract<Act, { kind: 'import' }>): Promise<Held> {
  const files = act.paths.map((path) => ({ path, bytes: Buffer.from('x') }));
  const result = await field.store.importFiles(files);
  return result.status === 'ok'
    ? through('a tree was made')
    : blocked(result.refusals[0]?.reason ?? 'refused');
}
