import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConfigRequest, loadConfig, type LoadedConfig } from '../../adapters/config/load.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'a7-config-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

function load(request: Partial<ConfigRequest> = {}): Promise<LoadedConfig> {
  return loadConfig({
    sessionDir: join(root, 'work/deep/session'),
    userDir: join(root, 'home/.a7'),
    env: {},
    commandLine: {},
    ...request,
  });
}

async function messagesOf(request: Partial<ConfigRequest> = {}): Promise<string> {
  const loaded = await load(request);
  return (loaded.ok ? [] : loaded.messages).join('\n').replaceAll(root, '');
}

describe('loadConfig()', () => {
  test('of a machine without any configuration is the defaults', async () => {
    const loaded = await load();
    expect(loaded.ok && [loaded.config.manager, loaded.sources]).toEqual(['policy', {}]);
  });

  test('reads command line, environment, session, the nearest folder above and the user, in this order', async () => {
    write(
      'home/.a7/config.toml',
      'max_in_flight = 5\nboard_tokens = 5005\nagent_max_turns = 55\nagent_test_runs = 55\ncompletion_attempts = 5\n',
    );
    write('.a7/config.toml', 'max_in_flight = 9\nagent_test_runs = 9\n');
    write('work/.a7/config.toml', 'max_in_flight = 4\nboard_tokens = 4004\nagent_max_turns = 44\n');
    write('work/deep/session/.a7/config.toml', 'max_in_flight = 3\nboard_tokens = 3003\n');
    const loaded = await load({ env: { A7_MAX_IN_FLIGHT: '2' }, commandLine: { maxCost: 7 } });
    if (!loaded.ok) throw new Error(loaded.messages.join('\n'));
    expect(
      Object.fromEntries(
        Object.entries(loaded.sources).map(([key, source]) => [
          key,
          `${source.kind} ${source.path.replace(root, '')}`,
        ]),
      ),
    ).toEqual({
      max_cost: 'command_line ',
      max_in_flight: 'environment ',
      board_tokens: 'session /work/deep/session/.a7/config.toml',
      agent_max_turns: 'project /work/.a7/config.toml',
      agent_test_runs: 'user /home/.a7/config.toml',
      completion_attempts: 'user /home/.a7/config.toml',
    });
    expect([
      loaded.config.limits.inFlightMax,
      loaded.config.boardTokens,
      loaded.config.agent.turnsMax,
    ]).toEqual([2, 3003, 44]);
  });

  test('names file and line of an unknown field and of a wrong value', async () => {
    write(
      'work/deep/session/.a7/config.toml',
      '# mine\nmax_cots = 1\n\n[providers.mine]\nbase_url = "ftp://x"\nkey = "abc"\n',
    );
    write('work/deep/session/.a7/models.toml', '[fast]\nmodel = "x"\n');
    expect(await messagesOf()).toBe(
      [
        '/work/deep/session/.a7/config.toml:2:1: Cannot use the configuration: "max_cots" is not a known field. Did you mean "max_cost"?',
        '/work/deep/session/.a7/config.toml:5:1: Cannot use the configuration: "providers.mine.base_url" must be an http or https address, for example "https://api.example.com/v1", current value is "ftp://x"',
        '/work/deep/session/.a7/config.toml:6:1: Cannot use the configuration: "providers.mine.key" is not a known field. Known fields are: base_url, api_key_env',
        '/work/deep/session/.a7/models.toml:2:1: Cannot use the models: "fast.model" is not a known field. Known fields are: provider, model_id, max_tokens, context_tokens, supports_tools, tool_calls, role, input_price, output_price, cached_input_price',
      ].join('\n'),
    );
  });

  test('does not repeat a key that was pasted where the name of its variable belongs', async () => {
    write('home/.a7/config.toml', '[providers.mine]\napi_key_env = "sk-secret"\n');
    expect(await messagesOf()).toBe(
      '/home/.a7/config.toml:2:1: Cannot use the configuration: "providers.mine.api_key_env" must be the name of an environment variable, not a key',
    );
  });

  test('names the place of a syntax error', async () => {
    write('home/.a7/config.toml', 'max_cost = \n');
    expect(await messagesOf()).toMatch(
      /^\/home\/\.a7\/config\.toml:1:\d+: Cannot read the configuration: \w/,
    );
  });

  test('says what is wrong on the command line and in the environment', async () => {
    expect(
      await messagesOf({
        commandLine: { manager: 'robot', baseUrl: 'nowhere' },
        env: { A7_MAX_COST: 'two' },
      }),
    ).toBe(
      [
        'Cannot use the command line: "manager" must be one of "llm", "policy", "human", current value is "robot"',
        'Cannot use the command line: "base-url" must be an http or https address, current value is "nowhere"',
        'Cannot use the environment: "max_cost" must be a number, current value is "two"',
      ].join('\n'),
    );
  });

  test('names the nearest key file and refuses one that others may read', async () => {
    const path = write('work/deep/session/.a7/key', 'secret');
    chmodSync(path, 0o600);
    const loaded = await load({ commandLine: { model: 'm' } });
    expect(loaded.ok && loaded.config.models.builder?.apiKey.filePath).toBe(path);
    chmodSync(path, 0o644);
    expect(await messagesOf()).toBe(
      'Cannot use key file "/work/deep/session/.a7/key": its mode must be 600, current mode is 644. Run: chmod 600 "/work/deep/session/.a7/key"',
    );
  });

  test('of the template of init is the defaults', async () => {
    mkdirSync(join(root, 'work/deep/session/.a7'), { recursive: true });
    for (const name of ['config.toml', 'models.toml']) {
      cpSync(
        join(import.meta.dirname, '../../examples/templates/init', name),
        join(root, 'work/deep/session/.a7', name),
      );
    }
    const loaded = await load();
    expect(loaded.ok && loaded.sources).toEqual({});
  });
});
