/** What every service begins with: a checked session folder, and failures as values with a next step. */
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { OrderPorts } from '../../activities/order/ports.ts';
import { adoptSession, checkSession, sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Failed, Problem, Result } from '../../core/ports/services.ts';
import type { HistoryBounds } from '../../schemas/stage-io.ts';
import type { Machine } from '../machine.ts';
import { type ConfigPlaces, RUN_SETTINGS_DAMAGED } from '../models.ts';
import type { WorkerPorts } from '../ports.ts';
import { typed } from '../../core/text/typed.ts';

/** Where the process looks things up; one object, so that tests can say otherwise. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the ports as they are wired. Crash tests put their strikes between. */
  readonly wrapPorts?: (ports: WorkerPorts, machine: Machine) => WorkerPorts;
  /** The same for work orders. */
  readonly wrapOrderPorts?: (ports: OrderPorts) => OrderPorts;
  /** Default: the workflows' own. */
  readonly historyBounds?: HistoryBounds;
  /** Path of bundled workflows. Default: the one that was built, else the sources are bundled at each start. */
  readonly workflowBundle?: string;
}

/** Places of configuration of this process. */
export function placesOf({ env }: Surroundings): ConfigPlaces {
  return { env, userDir: homeFolder(env) };
}

/** A failure with one problem. */
export function failed(exitCode: Failed['exitCode'], message: string, nextStep?: string): Failed {
  return failedWith(exitCode, [{ message }], nextStep);
}

/** The next step where a disk is full; null for any other error. */
export function spaceStep(error: unknown): string | null {
  const isFull = /\b(?:ENOSPC|EDQUOT)\b/u.test(messageOf(error));
  return isFull ? 'Make space, then run the same command: nothing is lost' : null;
}

/** A failure with several problems. */
export function failedWith(
  exitCode: Failed['exitCode'],
  problems: readonly Problem[],
  nextStep?: string,
): Failed {
  return { ok: false, exitCode, problems, ...(nextStep === undefined ? {} : { nextStep }) };
}

/** Messages of the configuration, `FILE:LINE:COLUMN: what`, as problems with a place. */
export function configFailed(messages: readonly string[], shown: string): Failed {
  const problems = messages.map((message) => {
    const [, file, at, text] = /^(.+?)(:\d+:\d+): (.+)$/s.exec(message) ?? [];
    return file === undefined || at === undefined || text === undefined
      ? { message }
      : { place: `${relative(process.cwd(), file) || file}${at}`, message: text };
  });
  return failedWith(2, problems, configStep(messages, shown));
}

function configStep(messages: readonly string[], shown: string): string {
  if (messages.includes(RUN_SETTINGS_DAMAGED)) return typed`a7-rt run ${shown} --fresh`;
  const isTyped = messages.every((message) => message.startsWith('Cannot use the command line:'));
  return isTyped ? typed`a7-rt run ${shown} --help` : `edit ${shown}/.a7/config.toml or models.toml`;
}

/** Absolute path and id of a session; a copied folder is adopted on request. */
export async function findSession(
  dir: string,
  adopt = false,
): Promise<Result<{ readonly dir: string; readonly id: string }>> {
  const path = resolve(dir);
  const check = await checkSession(path);
  switch (check.kind) {
    case 'session':
      return { ok: true, value: { dir: path, id: check.id } };
    case 'missing':
      return (await isFile(path))
        ? failed(2, `Cannot open session "${dir}": it is a file, a session is a folder`, 'Name the folder')
        : failed(2, `Cannot open session "${dir}": there is no such folder`, typed`a7-rt init ${dir}`);
    case 'not_a_session':
      if (adopt && (await isDamagedSession(path)))
        return { ok: true, value: { dir: path, id: await adoptSession(path) } };
      return noSession(dir, path);
    case 'copied':
      if (adopt) return { ok: true, value: { dir: path, id: await adoptSession(path) } };
      return failed(
        2,
        `Cannot open session "${dir}": the folder was copied or moved from another place, and both would drive the same workflows`,
        typed`a7-rt seed ${dir} --adopt gives it an identity of its own; status, why, report, verify and the like read it as it is`,
      );
  }
}

/** The same for a command that writes nothing: a copied folder is read as it is. */
export async function findToRead(
  dir: string,
): Promise<Result<{ readonly dir: string; readonly id: string }>> {
  const path = resolve(dir);
  const check = await checkSession(path);
  return check.kind === 'copied' ? { ok: true, value: { dir: path, id: check.id } } : findSession(dir);
}

async function noSession(dir: string, path: string): Promise<Failed> {
  return !(await isDamagedSession(path))
    ? failed(
        2,
        `Cannot open session "${dir}": the folder is no session (it has no .a7/session.json)`,
        'a7-rt init NEW-FOLDER makes one',
      )
    : failed(
        2,
        `Cannot open session "${dir}": its .a7/session.json cannot be read`,
        typed`a7-rt restore ${dir} gives it an identity of its own`,
      );
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true;
}

/** Its ledger is there, and its identity is damaged or lost: a new one mends it. */
async function isDamagedSession(path: string): Promise<boolean> {
  const paths = sessionPaths(path);
  const found = await Promise.all([paths.identity, paths.ledger].map((each) => stat(each).catch(() => null)));
  return found.some((each) => each?.isFile() === true);
}

/** One line for anything that was thrown. */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
    return error.message;
  return String(error);
}
