/** `report`, `verify`, `challenge`, `sandbox`: look at a verdict, run it again, attack it, try the room it was made in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitCode } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
import { challengeText } from '../render/challenge.ts';
import { reportList, reportPage } from '../render/report.ts';
import { sandboxHead, sandboxTail } from '../render/sandbox.ts';
import { verifyText } from '../render/verify.ts';
import { plainOf, plainText } from '../render/plain.ts';
import { type JsonOption, report as print, stopSignal } from './common.ts';

export interface ChallengeOptions extends JsonOption {
  readonly with: string;
  readonly asBuilder?: boolean;
  readonly reveal?: boolean;
}

export interface SandboxOptions extends JsonOption {
  readonly dir?: string;
  readonly time?: number;
  readonly backend?: 'docker' | 'bubblewrap';
}

/** One stored verdict for people; `--json` gives the stored document. Without a name: all of them. */
export async function report(
  parts: CliParts,
  words: readonly string[],
  options: JsonOption,
): Promise<ExitCode> {
  if (words.length > 2) {
    process.stderr.write('error Cannot show a report: name a session and one verdict, nothing else\n');
    return 2;
  }
  const [first = '.', second] = words;
  const isFolder = words.length < 2 && isSession(first);
  const dir = second !== undefined || isFolder ? first : '.';
  const name = second ?? (isFolder || words.length === 0 ? null : first);
  const services = await parts.loadServices();
  const result = await services.report(dir, name);
  if (!result.ok) return print(result, options, () => '');
  const { value } = result;
  return value.kind === 'list'
    ? print(
        { ok: true, value: options.json === true ? [...value.rows, ...value.refusals] : value },
        options,
        () => reportList(value, dir),
      )
    : print({ ok: true, value: options.json === true ? value.view.report : value.view }, options, () =>
        reportPage(plainOf(value.view), dir),
      );
}

function isSession(path: string): boolean {
  return existsSync(join(path, '.a7', 'session.json'));
}

/** A recorded verdict, run again. Exit code 1 when it differs in more than the verifier's own version, or the record contradicts itself. */
export async function verify(
  parts: CliParts,
  dir: string,
  name: string,
  options: JsonOption,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.verify(dir, name);
  const code = print(result, options, verifyText);
  if (!result.ok) return code;
  const { same, otherVerifier, record } = result.value;
  return (!same && otherVerifier === null) || record.length > 0 ? 1 : code;
}

/** A person's cheat against the gate. Exit code 1 when it was not held, 4 when nothing could be shown. */
export async function challenge(
  parts: CliParts,
  dir: string,
  nodeId: string,
  options: ChallengeOptions,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.challenge(dir, { nodeId, with: options.with });
  if (!result.ok) return print(result, options, () => '');
  const answer = options.reveal === true ? result.value : { ...result.value, report: null };
  const shown = options.asBuilder === true ? { builderText: answer.builderText } : answer;
  print({ ok: true, value: shown }, options, () =>
    options.asBuilder === true
      ? plainText(answer.builderText)
      : challengeText(plainOf(answer), options.with, dir),
  );
  switch (answer.end) {
    case 'held':
    case 'same':
      return 0;
    case 'passed':
      return 1;
    case 'unproven':
      return 4;
  }
}

/** A command in the clean room; its output as it is, and on stderr what held it. */
export async function sandbox(
  parts: CliParts,
  argv: readonly string[],
  options: SandboxOptions,
): Promise<number> {
  const services = await parts.loadServices();
  const stop = stopSignal(() => process.exit(3));
  const ask = {
    argv,
    dir: options.dir ?? null,
    backend: options.backend ?? null,
    wallMs: options.time === undefined ? null : Math.round(options.time * 1000),
  };
  const result = await services.sandbox(ask, stop.signal);
  stop.dispose();
  if (!result.ok || options.json === true) {
    const code = print(result, options, () => '');
    return result.ok ? result.value.exitCode : code;
  }
  const { value } = result;
  process.stderr.write(`${sandboxHead(value)}\n`);
  process.stdout.write(value.stdout);
  process.stderr.write(value.stderr);
  const torn = value.stdout !== '' && !value.stdout.endsWith('\n') ? '\n' : '';
  process.stderr.write(`${torn}${sandboxTail(value)}\n`);
  return value.exitCode;
}
