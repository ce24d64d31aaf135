/** `doctor`: what this machine has, and whether a session is sound. */
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { counted } from '../../core/text/plural.ts';
import type { Check, Result } from '../../core/ports/services.ts';
import { openMachine } from '../machine.ts';
import { type Surroundings, findSession, messageOf } from './common.ts';
import { ledgerVerify } from './ledger-verify.ts';
import { withSession } from './open-session.ts';
import { answers, findServer } from './server.ts';

/** Checks of the machine, then of the session if one is named. */
export async function doctor(around: Surroundings, dir: string | null): Promise<Result<readonly Check[]>> {
  const checks = [nodeCheck(), await toolsCheck(), await sandboxCheck(around), await serverCheck(around)];
  if (dir !== null) checks.push(...(await sessionChecks(dir)));
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
    return { name: 'set-up', ok: false, detail: messageOf(error), nextStep: 'npm run setup' };
  }
}

async function sandboxCheck(around: Surroundings): Promise<Check> {
  try {
    const machine = await openMachine(homeFolder(around.env), 'auto');
    await machine.sandbox.close();
    const open = machine.proof.acts.filter((act) => !act.held).map((act) => `${act.act}: ${act.detail}`);
    const detail = `${machine.proof.backend}, ${machine.proof.level}, ${counted(machine.proof.acts.length, 'forbidden act')} tried`;
    return {
      name: 'sandbox',
      ok: machine.proof.level !== 'none',
      detail: [detail, ...open].join('; '),
      nextStep: null,
    };
  } catch (error) {
    return { name: 'sandbox', ok: false, detail: messageOf(error), nextStep: 'npm run setup' };
  }
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

async function sessionChecks(dir: string): Promise<readonly Check[]> {
  const found = await findSession(dir);
  if (!found.ok)
    return [
      {
        name: 'session',
        ok: false,
        detail: found.problems[0]?.message ?? '',
        nextStep: found.nextStep ?? null,
      },
    ];
  const ledger = await ledgerVerify(dir);
  const content = await withSession(found.value.dir, (session) => session.content.status());
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
            nextStep: 'Restore events.jsonl from a backup',
          },
        ]
      : []),
    ...(content.ok
      ? [
          {
            name: 'content',
            ok: content.value.status === 'clean',
            detail: content.value.status,
            nextStep: content.value.status === 'clean' ? null : `git -C ${dir}/content status`,
          },
        ]
      : []),
  ];
}
