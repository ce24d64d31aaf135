/** A person who does nothing but copy the printed `next` into a shell gets on, also in a folder with a space and a quote. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appendFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { ModelServer } from '../../adapters/model-server/server.ts';
import { CLI, type CliResult, SUM_CONTRACTS, honestScript, scriptedModel } from '../support/session.ts';

const NAME = "it's größe 1";
let folder: string;
let model: ModelServer & { readonly env: Readonly<Record<string, string>> };

beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'a7-followed-'));
  await mkdir(join(folder, 'bin'));
  await symlink(CLI, join(folder, 'bin', 'a7-rt'));
  model = await scriptedModel(honestScript());
});
afterAll(async () => {
  await sh('a7-rt down');
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** As typed into a shell in the folder above the session. */
async function sh(command: string): Promise<CliResult> {
  const { exitCode, stdout, stderr } = await execa('sh', ['-c', command], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      A7_HOME: join(folder, 'home'),
      A7_MUTATION_SECONDS: '0',
      A7_CACHE: process.env['A7_CACHE'] ?? join(process.env['HOME'] ?? '', '.cache', 'a7-rt'),
      ...model.env,
    },
    extendEnv: false,
    reject: false,
    timeout: 120_000,
  });
  return { code: exitCode, out: stdout, err: stderr };
}

const WORD = String.raw`(?:'[^']*'|\\'|"[^"]*"|[^\s,;'"])+`;
const COMMAND = new RegExp(
  String.raw`\b(?:a7-rt [a-z-]+(?: (?!then\b|says\b|shows\b|agrees\b|keeps\b|opens\b|gives\b|lists\b|does\b|and\b)${WORD})*|git -C ${WORD}(?: (?!keeps\b)${WORD})*)`,
  'gu',
);

/** The commands of the last `next` of an output. */
function nextOf({ out, err }: CliResult): readonly string[] {
  const line =
    `${out}\n${err}`
      .split('\n')
      .filter((each) => /^(\S+ {2})?next /u.test(each))
      .at(-1) ?? '';
  return line.match(COMMAND) ?? [];
}

/** Runs what was printed; each succeeds, or ends with the given code. */
async function follow(answer: CliResult, ...codes: number[]): Promise<CliResult> {
  const commands = nextOf(answer);
  if (commands.length === 0) throw new Error(`no next in: ${answer.out}\n${answer.err}`);
  let last = answer;
  for (const [index, command] of commands.entries()) {
    last = await sh(command);
    const wanted = codes[index] ?? 0;
    if (last.code !== wanted)
      throw new Error(`${command}: exit code ${String(last.code)}\n${last.out}\n${last.err}`);
  }
  return last;
}

const quoted = `'it'\\''s größe 1'`;
const at = (name: string): string => join(folder, NAME, name);
const failing = async (command: string, code: number): Promise<CliResult> => {
  const answer = await sh(command);
  expect(`${String(answer.code)} ${answer.code === code ? '' : answer.err + answer.out}`).toBe(
    `${String(code)} `,
  );
  return answer;
};

test('from nothing to a sealed stage, by what is printed', async () => {
  const made = await follow(await failing(`a7-rt status ${quoted}`, 2));
  const [seed = '', , status = ''] = made.out.split('Next:\n')[1]?.split('\n') ?? [];
  expect(status.trim()).toBe(`a7-rt status ${quoted}`);
  await writeFile(at('contracts.yaml'), SUM_CONTRACTS);
  const config = await readFile(at('.a7/config.toml'), 'utf8');
  await writeFile(at('.a7/config.toml'), `sandbox = "bubblewrap"\n${config}`);
  expect(await sh(status)).toMatchObject({ code: 0, out: expect.stringContaining(`a7-rt seed ${quoted}`) });
  expect((await sh(seed.replace(/ {3,}.*/u, ''))).code).toBe(0);
  const waits = await failing(
    `a7-rt run ${quoted} --model scripted --manager human --strict-turns --no-wait`,
    3,
  );
  expect(nextOf(waits)).toHaveLength(2);
  const board = await sh(nextOf(waits)[0] ?? '');
  const move = board.out.split('\n').find((line) => line.includes(' DISPATCH ')) ?? '';
  expect(await sh(move)).toMatchObject({ code: 0, out: expect.stringContaining('recorded when one does') });
  const built = await failing(`a7-rt run ${quoted} --manager policy`, 0);
  expect(built.err).toContain('(manager human instead of policy');
  expect(built.err).toMatch(/DISPATCH|dispatched|test author/u);
}, 240_000);

test('what a user does wrong with a sealed stage leads back to one', async () => {
  await follow(await failing(`a7-rt halt ${quoted}`, 2));
  await follow(await failing(`a7-rt why ${quoted} sum.ad`, 2));
  const contracts = await readFile(at('contracts.yaml'), 'utf8');
  await writeFile(at('contracts.yaml'), contracts.replace('result is the sum', 'result is their sum'));
  const opened = await follow(await failing(`a7-rt seed ${quoted}`, 2));
  expect(nextOf(opened)).toHaveLength(2);
  await follow(await failing(nextOf(opened)[0] ?? '', 3));
  await appendFile(at('content/sum/add.py'), '# mine\n');
  await follow(await failing(`a7-rt run ${quoted}`, 2));
  await sh(`git -C ${quoted}/content switch -qc other`);
  await follow(await failing(`a7-rt run ${quoted}`, 2));
  await appendFile(at('content/sum/add.py'), '# mine\n');
  await sh(`git -C ${quoted}/content -c user.name=a -c user.email=a@b commit -qam mine`);
  const back = await follow(await failing(`a7-rt run ${quoted}`, 2));
  expect(back.out).toContain('1 of 1 node grounded');
  await sh(`cp -r ${quoted} copy`);
  await follow(await failing(`a7-rt run copy`, 2));
}, 240_000);
