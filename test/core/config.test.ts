import { describe, expect, test } from '@jest/globals';
import { describeConfig } from '../../core/config/describe.ts';
import { commandLineFields, type ConfigLayer, environmentFields } from '../../core/config/layer.ts';
import { resolveConfig } from '../../core/config/resolve.ts';
import { ConfigFile, ModelsFile, ResolvedConfig } from '../../schemas/config.ts';

function layer(
  kind: ConfigLayer['source']['kind'],
  config: object,
  rest: { models?: object; keyPath?: string; baseUrl?: string } = {},
): ConfigLayer {
  return {
    source: { kind, path: '' },
    config: ConfigFile.parse(config),
    models: ModelsFile.parse(rest.models ?? {}),
    keyPath: rest.keyPath ?? null,
    baseUrl: rest.baseUrl ?? null,
  };
}

function resolved(...layers: ConfigLayer[]): ResolvedConfig {
  const result = resolveConfig(layers);
  if (!result.ok) throw new Error(result.faults.map((fault) => fault.message).join('\n'));
  return ResolvedConfig.parse(result.config);
}

function messages(...layers: ConfigLayer[]): string[] {
  const result = resolveConfig(layers);
  return result.ok
    ? []
    : result.faults.map(({ message, suggestion }) => [message, suggestion ?? []].flat().join('. '));
}

describe('resolveConfig()', () => {
  test('of nothing is the built-in defaults', () => {
    expect(resolved()).toEqual({
      models: { manager: null, builder: null, test_author: null, analyst: null, reviewer: null },
      manager: 'policy',
      strictTurns: false,
      requireWall: false,
      limits: {
        managerMaxTurns: 25,
        drainTurn: 20,
        inFlightMax: 4,
        provisionalDepthLimit: 3,
        costCapMicroUsd: 2_000_000,
        platformFaultsMax: 2,
      },
      maxUnpricedTokens: 2_000_000,
      mutationMs: 8000,
      onUnknown: 'repay_once',
      agent: { turnsMax: 40, attemptsMax: 3, silentTurnsMax: 3, testRunsMax: 12, runningMsMax: 1_800_000 },
      boardTokens: 8000,
      humanWaitMs: 604_800_000,
      sandbox: 'auto',
      onWaiting: null,
      agents: {},
    });
  });

  test('takes a command for on_waiting from no folder that somebody may hand on', () => {
    const of = (kind: 'session' | 'user', on_waiting: string) => ({
      ...layer('environment', {}),
      source: { kind, path: '/s/.a7/config.toml' },
      config: { on_waiting },
    });
    expect(resolveConfig([of('session', 'rm -rf .')])).toMatchObject({ ok: false });
    expect(resolveConfig([of('session', 'https://example.com/hook')])).toMatchObject({ ok: true });
    expect(resolveConfig([of('user', 'notify-send')])).toMatchObject({ ok: true });
  });

  test('takes each field from the strongest layer that has it and names that layer', () => {
    const layers = [
      layer('command_line', { max_cost: 0.5 }),
      layer('session', { max_cost: 1, max_in_flight: 2 }),
      layer('user', { max_in_flight: 8, board_tokens: 9000 }),
    ];
    const result = resolveConfig(layers);
    expect(
      result.ok && [
        result.config.limits.costCapMicroUsd,
        result.config.limits.inFlightMax,
        result.config.boardTokens,
      ],
    ).toEqual([500_000, 2, 9000]);
    expect(
      result.ok &&
        Object.entries(result.sources)
          .map(([key, source]) => [key, source.kind])
          .sort(),
    ).toEqual([
      ['board_tokens', 'user'],
      ['max_cost', 'command_line'],
      ['max_in_flight', 'session'],
    ]);
  });

  test('takes any name of a model with any endpoint: --model and --base-url suffice', () => {
    const config = resolved(
      layer('command_line', commandLineFields({ model: 'some/model' }), { baseUrl: 'http://127.0.0.1:9/v1' }),
    );
    expect(config.manager).toBe('llm');
    expect(config.models.builder).toEqual({
      alias: 'some/model',
      modelId: 'some/model',
      provider: 'openai',
      baseUrl: 'http://127.0.0.1:9/v1',
      maxOutputTokens: 4096,
      contextTokens: 128_000,
      supportsTools: true,
      price: null,
      apiKey: { envName: 'OPENAI_API_KEY', filePath: null },
    });
  });

  test('resolves an alias with provider, price and key file from different layers', () => {
    const config = resolved(
      layer(
        'session',
        { subagent_model: 'fast', builder_model: 'strong' },
        { models: { fast: { max_tokens: 100 } } },
      ),
      layer(
        'user',
        { providers: { mine: { base_url: 'https://m.example/v1' } } },
        {
          keyPath: '/home/.a7/key',
          models: {
            fast: {
              provider: 'mine',
              model_id: 'm-1',
              input_price: 0.15,
              output_price: 2.5,
              cached_input_price: 0.0375,
            },
            strong: { provider: 'openrouter', model_id: 's-1' },
          },
        },
      ),
    );
    expect(config.manager).toBe('policy');
    expect(config.models.analyst).toMatchObject({
      modelId: 'm-1',
      baseUrl: 'https://m.example/v1',
      maxOutputTokens: 100,
      price: {
        inputMicroUsdPerMTok: 150_000,
        outputMicroUsdPerMTok: 2_500_000,
        cachedInputMicroUsdPerMTok: 37_500,
      },
      apiKey: { envName: 'MINE_API_KEY', filePath: '/home/.a7/key' },
    });
    expect(config.models.builder).toMatchObject({ modelId: 's-1', baseUrl: 'https://openrouter.ai/api/v1' });
  });

  test('is shown by describeConfig() with every flag of the run and every role', () => {
    const layers = [
      layer('command_line', commandLineFields({ maxTokens: 9000 })),
      layer('user', { reviewer_model: 'reader' }),
    ];
    const shown = describeConfig(layers, [], {}, false);
    expect(resolved(...layers).maxUnpricedTokens).toBe(9000);
    expect(shown.settings.find(({ name }) => name === 'max_unpriced_tokens')).toEqual({
      name: 'max_unpriced_tokens',
      value: '9000',
      source: 'the last run (.a7/run.json)',
    });
    expect(shown.roles.find(({ role }) => role === 'reviewer')?.model?.alias).toBe('reader');
  });

  test('drains five turns before a larger maximum', () => {
    expect(resolved(layer('command_line', { default_manager_max_turns: 60 })).limits.drainTurn).toBe(55);
  });

  test('lowers a drain turn that nobody set below a smaller maximum', () => {
    expect(resolved(layer('command_line', { default_manager_max_turns: 5 })).limits.drainTurn).toBe(5);
  });

  test('says each fault once, with what to do', () => {
    expect(messages(layer('session', { manager: 'llm' }))).toEqual([
      'Cannot use manager "llm": no model is configured for the manager. Give --model, set "manager_model" in .a7/config.toml, or use --manager policy',
    ]);
    expect(messages(layer('session', { default_manager_max_turns: 5, default_drain_turn: 9 }))).toEqual([
      'Cannot use "default_drain_turn": it must be at most "default_manager_max_turns", which is 5, current value is 9',
    ]);
    const models = {
      a: { provider: 'opnai' },
      b: { provider: 'mine' },
      c: { role: ['subagent'] },
      d: { input_price: 1 },
    };
    const fields = {
      providers: { mine: {} },
      manager_model: 'c',
      subagent_model: 'a',
      builder_model: 'b',
      analyst_model: 'd',
    };
    expect(messages(layer('session', fields, { models }))).toEqual([
      'Cannot use model "c" for the manager: its "role" must include "manager", current value is subagent',
      'Cannot use model "b": provider "mine" has no "base_url". Add it under [providers.mine], or give --base-url',
      'Cannot use model "a": provider "opnai" is not configured. Did you mean "openai"?',
      'Cannot use model "d": "input_price" and "output_price" must be given together',
    ]);
  });
});

describe('environmentFields()', () => {
  test('reads keys, addresses and settings, and takes an empty variable as not set', () => {
    expect(
      environmentFields({
        OPENAI_BASE_URL: 'http://h/v1',
        A7_MODEL: 'm',
        A7_MAX_COST: '0.25',
        A7_MANAGER: '',
      }),
    ).toEqual({
      providers: { openai: { base_url: 'http://h/v1' } },
      default_provider: 'openai',
      manager_model: 'm',
      subagent_model: 'm',
      max_cost: 0.25,
    });
    expect(environmentFields({ OPENROUTER_API_KEY: 'k' })).toEqual({ default_provider: 'openrouter' });
    expect(environmentFields({ A7_MAX_COST: 'two' })).toEqual({ max_cost: 'two' });
    expect(JSON.stringify(environmentFields({ OPENAI_API_KEY: 'secret' }))).not.toContain('secret');
  });
});
