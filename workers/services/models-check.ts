/** `models --check`: tries how an endpoint can call tools, and keeps the best way in models.toml. */
import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { askEndpoint } from '../../adapters/model/question.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import { withoutPassword } from '../../core/config/describe.ts';
import { setToolCalls } from '../../core/config/tool-calls-line.ts';
import { PROBE_MESSAGES, PROBE_TOOLS, TOOL_FORMS, probeFault } from '../../core/model/probe.ts';
import type { ModelCheck, ModelTry, Result } from '../../core/ports/services.ts';
import type { ResolvedModel, ToolCalls } from '../../schemas/config.ts';
import { readConfig, runSettings } from '../models.ts';
import { type Surroundings, configFailed, failed, findSession, placesOf } from './common.ts';

/** `name` null: the models of builder and manager. `dir` null: what holds in the current folder. */
export async function checkModels(
  around: Surroundings,
  dir: string | null,
  name: string | null,
): Promise<Result<readonly ModelCheck[]>> {
  const found = dir === null ? null : await findSession(dir);
  if (found !== null && !found.ok) return found;
  const folder = found?.value.dir ?? process.cwd();
  const settings = await runSettings(
    folder,
    name === null ? {} : { model: name, subagentModel: name, managerModel: name },
  );
  const read = await readConfig(folder, placesOf(around), settings ?? undefined);
  if (!read.ok) return configFailed(read.messages, dir ?? '.');
  const { builder, manager } = read.config.models;
  const models = [builder, manager].filter((model) => model !== null);
  const [first] = models;
  if (first === undefined)
    return failed(
      2,
      'Cannot check: no model is configured',
      'a7-rt models --check NAME, or set subagent_model in .a7/config.toml',
    );
  const distinct = models.filter(
    (model, at) => models.findIndex((each) => each.alias === model.alias) === at,
  );
  const checks: ModelCheck[] = [];
  for (const model of distinct) checks.push(await checkOne(around, folder, model));
  return { ok: true, value: checks };
}

async function checkOne(around: Surroundings, folder: string, model: ResolvedModel): Promise<ModelCheck> {
  const tries: ModelTry[] = [];
  for (const form of TOOL_FORMS) {
    const tried = await tryForm(around, model, form);
    tries.push(tried);
    // Nothing listens there, or the key is refused: no other form can do better.
    if (tried.isFinal) break;
  }
  const chosen = tries.find((each) => each.fault === null)?.form ?? null;
  const before = model.toolCalls ?? 'native';
  const wrote = chosen === null || chosen === before ? null : await keep(around, folder, model.alias, chosen);
  return {
    alias: model.alias,
    modelId: model.modelId,
    baseUrl: withoutPassword(model.baseUrl),
    tries,
    chosen,
    wrote,
  };
}

async function tryForm(around: Surroundings, model: ResolvedModel, form: ToolCalls): Promise<ModelTry> {
  const target = { ...model, supportsTools: true, toolCalls: form };
  const answered = await askEndpoint(target, { messages: PROBE_MESSAGES, tools: PROBE_TOOLS }, around.env);
  if (answered.kind === 'answer')
    return {
      form,
      fault: probeFault(answered.answer),
      nextStep: null,
      elapsedMs: answered.elapsedMs,
      isFinal: false,
    };
  const { message, nextStep, isRefusedForm } = answered;
  return { form, fault: message, nextStep, elapsedMs: null, isFinal: !isRefusedForm };
}

/** Into the session's models.toml, that of the folder, or that of the home; gives the path as shown. */
async function keep(around: Surroundings, folder: string, alias: string, form: ToolCalls): Promise<string> {
  const own = join(folder, '.a7');
  const isThere = (await stat(own).catch(() => null))?.isDirectory() === true;
  const path = join(isThere ? own : homeFolder(around.env), 'models.toml');
  const text = await readFile(path, 'utf8').catch(() => '');
  await writeDurably(path, setToolCalls(text, alias, form));
  return relative(process.cwd(), path) || path;
}
