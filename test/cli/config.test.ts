/** `config` and the question that `doctor` asks: what holds, who says so, and whether an endpoint answers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { modelCheck } from '../../workers/services/model-check.ts';
import { CLI, cli, scriptedModel } from '../support/session.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-config-'));
  mkdirSync(join(root, 'home'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const env = (): Record<string, string> => ({ A7_HOME: join(root, 'home') });
const a7 = (...args: string[]) => cli(args, { cwd: root, env: env() });

describe('a7-rt config', () => {
  test('makes the files with a key that nobody else may read, and keeps what is there', async () => {
    const made = await execa(process.execPath, [CLI, 'config', '--init', '--with-key', '-'], {
      cwd: root,
      env: env(),
      input: 'sk-secret-1\n',
    });
    expect(made.stdout).toMatch(
      /^Wrote \.a7\/config\.toml, \.a7\/models\.toml, \.a7\/key, \.a7\/\.gitignore$/m,
    );
    const key = join(root, '.a7/key');
    expect([readFileSync(key, 'utf8'), statSync(key).mode & 0o777]).toEqual(['sk-secret-1\n', 0o600]);
    writeFileSync(
      join(root, '.a7/config.toml'),
      'max_in_flight = 3\nsubagent_model = "fast"\n[providers.mine]\nbase_url = "http://me:pw@127.0.0.1:9/v1"\n',
    );
    writeFileSync(
      join(root, '.a7/models.toml'),
      '[fast]\nprovider = "mine"\nmodel_id = "tiny"\ninput_price = 1\noutput_price = 2\n',
    );
    const again = await a7('config', '--init', '--with-key', 'sk-secret-2');
    expect(again.out).toMatch(/^Wrote \.a7\/key\nKept \.a7\/config\.toml, \.a7\/models\.toml/);
    expect(await a7('config', '--init', '--with-key', 'two words')).toMatchObject({ code: 2 });
  });

  test('shows every value with its source, and no key', async () => {
    const environment = { ...env(), A7_MAX_COST: '7', OPENAI_API_KEY: 'sk-secret-3' };
    const { code, out } = await cli(['config'], { cwd: root, env: environment });
    expect(code).toBe(0);
    expect(out).toMatch(/^max_in_flight +3 +.*\/\.a7\/config\.toml$/m);
    expect(out).toMatch(/^max_cost +7 +A7_MAX_COST$/m);
    expect(out).toMatch(/^board_tokens +8000 +built in$/m);
    expect(out).toMatch(/^manager_model +- +not set$/m);
    expect(out).toMatch(/^builder +fast +tiny +http/m);
    const models = await cli(['config', '--models', '--providers'], { cwd: root, env: environment });
    expect(models.out).toMatch(/^fast +mine +tiny +- +- +native +1 \/ 2 +.*models\.toml$/m);
    expect(models.out).toMatch(
      /^mine +http:\/\/me:\*\*\*@127\.0\.0\.1:9\/v1 +MINE_API_KEY +key from .*\.a7\/key /m,
    );
    expect(models.out).toMatch(/^openai .+ key from OPENAI_API_KEY +built in$/m);
    const json = await cli(['config', '--json'], { cwd: root, env: environment });
    expect(out + models.out + json.out).not.toMatch(/sk-secret|:pw@/);
  });

  test('says what cannot be used, and ends with 2', async () => {
    expect(await a7('config', '--validate')).toMatchObject({ code: 0, out: 'Every setting can be used' });
    writeFileSync(join(root, '.a7/config.toml'), 'max_in_flihgt = 3\n');
    const wrong = await a7('config', '--validate');
    expect([wrong.code, wrong.out]).toEqual([
      2,
      expect.stringContaining('"max_in_flihgt" is not a known field'),
    ]);
    const bare = await a7('config', '/nowhere');
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('there is no such folder')]);
    rmSync(join(root, '.a7'), { recursive: true });
  });
});

describe('the question of doctor', () => {
  const check = (baseUrl: string, key = 'k') =>
    modelCheck(
      {
        env: { A7_HOME: join(root, 'home'), A7_MODEL: 'tiny', OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key },
      },
      root,
    );

  test('is answered, or the reason and the next step are told', async () => {
    const answers = { answer: { text: 'Ready.' }, role: '*' as const, repeat: true };
    const model = await scriptedModel({ version: 1, rules: [answers] });
    expect(await check(model.url)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^"tiny" at .+ answers, /),
    });
    expect(await check(model.url, '')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('no API key'),
    });
    await model.close();
    expect(await check(model.url)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await modelCheck({ env: { A7_HOME: join(root, 'home') } }, root)).toMatchObject({ ok: true });
  });

  test('tells a listener that is no endpoint', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('hi');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await check(`http://127.0.0.1:${String(port)}/v1`)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('web page'),
    });
    await new Promise((done) => server.close(done));
  });
});
