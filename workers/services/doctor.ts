/** `doctor`: what this machine has, and whether a session is sound. */
import { AGENT_PACKAGES } from '../../adapters/agents/packages.ts';
import { installedAgent } from '../../adapters/agents/programs.ts';
import { keyIdOf, keyPlaces, openPrivateKey } from '../../adapters/keys/key-files.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { counted } from '../../core/text/plural.ts';
import type { ContentStatus } from '../../core/ports/git.ts';
import type { Check, Failed, LedgerReport, Result } from '../../core/ports/services.ts';
import { AGENT_NAMES } from '../../schemas/order.ts';
import { agentsFolder } from '../agent-parts.ts';
import { type Surroundings, findToRead, messageOf, spaceStep } from './common.ts';
import { openHomeMachine } from './home-machine.ts';
import { ledgerVerify } from './ledger-verify.ts';
import { modelCheck } from './model-check.ts';
import { withSession } from './open-session.ts';
import { type BranchState, branchState } from './record/branch-state.ts';
import { answers, findServer } from './server.ts';
import { typed } from '../../core/text/typed.ts';

/** Checks of the machine, then of the session if one is named. */
export async function doctor(around: Surroundings, dir: string | null): Promise<Result<readonly Check[]>> {
  const checks = [
    nodeCheck(),
    await toolsCheck(),
    await sandboxCheck(around),
    await serverCheck(around),
    await keyCheck(around),
    await modelCheck(around, dir),
    agentsCheck(),
  ];
  if (dir !== null) checks.push(...(await sessionChecks(around, dir)));
  return { ok: true, value: checks };
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    name: 'node',
    ok,
    detail: process.versions.node,
    nextStep: ok ? null : 'Install Node 20.19 or newer',
  };
}

/** None is needed for a run by our own loop: what is missing is named, not held against the machine. */
function agentsCheck(): Check {
  const here = AGENT_NAMES.flatMap((name) => {
    const found = installedAgent(agentsFolder(), name);
    return found === null ? [] : [AGENT_PACKAGES[name] === undefined ? name : `${name} ${found.version}`];
  });
  const missing = AGENT_NAMES.filter((name) => installedAgent(agentsFolder(), name) === null);
  const others =
    missing.length === 0 ? '' : `; not here: ${missing.join(', ')} (a7-rt agents --install NAME)`;
  return { name: 'agents', ok: true, detail: `${here.join(', ')}${others}`, nextStep: null };
}

async function toolsCheck(): Promise<Check> {
  try {
    const { temporal, image } = await readToolchain();
    return {
      name: 'set-up',
      ok: true,
      detail: `temporal ${temporal.version}, image ${image.tag}`,
      nextStep: null,
    };
  } catch (error) {
    return { name: 'set-up', ok: false, detail: messageOf(error), nextStep: 'a7-rt setup' };
  }
}

async function sandboxCheck(around: Surroundings): Promise<Check> {
  const machine = await openHomeMachine(around, null);
  if ('ok' in machine)
    return {
      name: 'sandbox',
      ok: false,
      detail: machine.problems[0]?.message ?? '',
      nextStep: machine.nextStep ?? null,
    };
  await machine.sandbox.close();
  const open = machine.proof.acts.filter((act) => !act.held).map((act) => `${act.act}: ${act.detail}`);
  const detail = `${machine.proof.backend}, ${machine.proof.level}, ${counted(machine.proof.acts.length, 'forbidden act')} tried`;
  return {
    name: 'sandbox',
    ok: machine.proof.level !== 'none',
    detail: [detail, ...open].join('; '),
    nextStep: null,
  };
}

async function serverCheck(around: Surroundings): Promise<Check> {
  const place = await findServer(around);
  if (place === null)
    return { name: 'temporal', ok: true, detail: 'not running; run and up start it', nextStep: null };
  const ok = await answers(place);
  return {
    name: 'temporal',
    ok,
    detail: `${place.address} ${ok ? 'serves' : 'does not answer'}`,
    nextStep: ok ? null : 'a7-rt up',
  };
}

/** Whoever gets a copy of a session compares this id with the one that `ledger verify` tells there. */
async function keyCheck(around: Surroundings): Promise<Check> {
  const places = keyPlaces(homeFolder(around.env));
  try {
    const id = keyIdOf(await openPrivateKey(places));
    return { name: 'key', ok: true, detail: `this home signs as ${id}`, nextStep: null };
  } catch (error) {
    const anew = `Move ${places.privateKey} aside: the next command makes a new key`;
    return { name: 'key', ok: false, detail: messageOf(error), nextStep: spaceStep(error) ?? anew };
  }
}

async function sessionChecks(around: Surroundings, dir: string): Promise<readonly Check[]> {
  const found = await findToRead(dir);
  if (!found.ok)
    return [
      {
        name: 'session',
        ok: false,
        detail: found.problems[0]?.message ?? '',
        nextStep: found.nextStep ?? null,
      },
    ];
  const ledger = await ledgerVerify(dir, null, around.env);
  const content = await withSession(found.value.dir, async (session) => ({
    status: await session.content.status(),
    branch: await branchState(session, dir),
  }));
  return [
    { name: 'session', ok: true, detail: found.value.id, nextStep: null },
    ...(ledger.ok
      ? [
          {
            name: 'ledger',
            ok: ledger.value.chain === 'valid' && ledger.value.fold !== 'different',
            detail: [
              `${counted(ledger.value.lines, 'line')}, chain ${ledger.value.chain}, fold ${ledger.value.fold}`,
              ledger.value.detail,
            ]
              .filter((each) => each !== '')
              .join('; '),
            nextStep: typed`a7-rt restore ${dir}`,
          },
          recordCheck(ledger.value, dir),
        ]
      : []),
    ...(content.ok ? contentChecks(content.value, dir) : [damageCheck(content)]),
  ];
}

function damageCheck({ problems, nextStep }: Failed): Check {
  return { name: 'content', ok: false, detail: problems[0]?.message ?? '', nextStep: nextStep ?? null };
}

function recordCheck({ signedBy, findings }: LedgerReport, dir: string): Check {
  const signed = {
    home: 'signed by a key of this home',
    foreign: 'signed by a key that this home does not know',
    unsigned: 'not signed',
  };
  const first = findings[0];
  const more = findings.length > 1 ? `, and ${String(findings.length - 1)} more` : '';
  return {
    name: 'record',
    ok: first === undefined,
    detail:
      first === undefined
        ? `${signedBy === null ? 'not read' : signed[signedBy]}, every copy of a fact agrees`
        : `${first.subject} ${first.message}${more}`,
    nextStep: typed`a7-rt ledger verify ${dir}`,
  };
}

function contentChecks(
  { status, branch }: { readonly status: ContentStatus; readonly branch: BranchState | null },
  dir: string,
): readonly Check[] {
  const isClean = status.status === 'clean';
  const tree = {
    name: 'content',
    ok: isClean,
    detail: status.status,
    nextStep: isClean ? null : typed`git -C ${dir}/content status`,
  };
  if (branch === null) return [tree];
  return [tree, { name: 'branch', ok: false, detail: branch.message, nextStep: branch.nextStep }];
}
