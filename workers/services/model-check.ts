/** The check of `doctor` that asks the configured model one question. */
import { askEndpoint } from '../../adapters/model/question.ts';
import { withoutPassword } from '../../core/config/describe.ts';
import type { Check } from '../../core/ports/services.ts';
import { readConfig } from '../models.ts';
import { type Surroundings, placesOf } from './common.ts';

/** `dir` null: the model that a session in the current folder would use. */
export async function modelCheck(around: Surroundings, dir: string | null): Promise<Check> {
  const read = await readConfig(dir ?? process.cwd(), placesOf(around));
  if (!read.ok)
    return { name: 'model', ok: false, detail: read.messages[0] ?? '', nextStep: 'a7-rt config --validate' };
  const model = read.config.models.builder ?? read.config.models.manager;
  if (model === null) {
    const detail = 'none is configured: run takes --model NAME, or set subagent_model in .a7/config.toml';
    return { name: 'model', ok: true, detail, nextStep: null };
  }
  const question = { messages: [{ role: 'user' as const, content: 'Say the word ready.' }], tools: [] };
  const answered = await askEndpoint(model, question, around.env);
  if (answered.kind === 'problem')
    return { name: 'model', ok: false, detail: answered.message, nextStep: answered.nextStep };
  const { finishReason, message, garbage } = answered.answer;
  const where = `"${model.modelId}" at ${withoutPassword(model.baseUrl)}`;
  if (garbage !== null || (message.content ?? '') === '')
    return {
      name: 'model',
      ok: finishReason === 'length',
      detail: `${where} answers without any text (${finishReason})`,
      nextStep: 'a7-rt config shows which endpoint is asked',
    };
  return {
    name: 'model',
    ok: true,
    detail: `${where} answers, ${(answered.elapsedMs / 1000).toFixed(1)} s`,
    nextStep: null,
  };
}
