/** `contract draft`: a model writes contracts from prose; they are parsed, linted and shown, and a person agrees before they are written. */
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseContracts } from '../../adapters/contracts/load.ts';
import { askEndpoint } from '../../adapters/model/question.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import { readNamedText } from '../../adapters/system/named-file.ts';
import { lintContracts } from '../../core/contract/lint.ts';
import { DRAFT_SYSTEM, draftAgain, draftRequest, yamlOf } from '../../core/contract/draft.ts';
import { readFault } from '../../core/text/error-text.ts';
import type { Draft, DraftAsk, DraftReport, Result } from '../../core/ports/services.ts';
import type { ModelCap, ModelTarget } from '../../core/ports/model.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import { readConfig, runSettings } from '../models.ts';
import { createPurse } from './draft-purse.ts';
import { type Surroundings, configFailed, failed, findSession, placesOf } from './common.ts';
import { typed } from '../../core/text/typed.ts';

/** Answers that are asked for at most: the first, and two that mend it. */
const ROUNDS_MAX = 3;
const SPEC_CHARS_MAX = 100_000;
const OUTPUT_TOKENS = 8_000;
/** What the model wrote, until a person agrees. */
const DRAFT_FILE = 'contracts.draft.yaml';

/** Asks the model of the test author, which is the one that must understand them. */
export async function draftContracts(
  around: Surroundings,
  dir: string,
  ask: DraftAsk,
): Promise<Result<DraftReport>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const spec = await readNamedText(ask.from).catch((error: unknown) => ({ fault: readFault(error) }));
  if (typeof spec !== 'string')
    return failed(2, `Cannot read "${ask.from}": ${spec.fault}`, 'Name a text file with --from');
  if (spec.trim() === '' || spec.length > SPEC_CHARS_MAX)
    return failed(
      2,
      `Cannot draft from "${ask.from}": it must have 1 to ${String(SPEC_CHARS_MAX)} characters, it has ${String(spec.length)}`,
      'Split it',
    );
  const settings = await runSettings(
    found.value.dir,
    ask.model === null ? {} : { model: ask.model, subagentModel: ask.model },
  );
  const read = await readConfig(found.value.dir, placesOf(around), settings ?? undefined);
  if (!read.ok) return configFailed(read.messages, dir);
  const model = read.config.models.test_author;
  if (model === null)
    return failed(
      2,
      'Cannot draft: no model is configured',
      'Give --model NAME, or set subagent_model in .a7/config.toml',
    );
  const draft = await rounds({
    around,
    target: model,
    spec,
    name: found.value.dir.split('/').at(-1) ?? 'project',
    cap: {
      scope: 'draft',
      maxCostMicroUsd:
        ask.maxCostUsd === null
          ? (read.config.limits.costCapMicroUsd ?? Number.MAX_SAFE_INTEGER)
          : ask.maxCostUsd * 1_000_000,
      maxTokensWhenUnpriced: ask.maxTokens ?? read.config.maxUnpricedTokens,
    },
  });
  if (!draft.ok) return draft;
  // Paid for: it is kept, whatever the answer is.
  const path = sessionPaths(found.value.dir).contracts;
  const kept = join(found.value.dir, DRAFT_FILE);
  await writeDurably(kept, draft.value.text);
  const answer = await ask.consent(draft.value);
  if (answer !== true)
    return failed(
      3,
      answer === false
        ? 'Nothing is changed: you did not agree'
        : `${draft.value.text}\nNothing is changed without your consent`,
      typed`mv ${`${dir}/${DRAFT_FILE}`} ${`${dir}/contracts.yaml`} takes it; the draft is kept there`,
    );
  const former = await keepFormer(found.value.dir, path);
  await rename(kept, path);
  return { ok: true, value: { ...draft.value, kept: former } };
}

interface Job {
  readonly around: Surroundings;
  readonly target: ModelTarget;
  readonly spec: string;
  readonly name: string;
  readonly cap: ModelCap;
}

async function rounds(job: Job): Promise<Result<Draft>> {
  const messages: ChatMessage[] = [
    { role: 'system', content: DRAFT_SYSTEM },
    { role: 'user', content: draftRequest(job.spec, job.name) },
  ];
  const purse = createPurse({ ...job, maxOutputTokens: OUTPUT_TOKENS });
  let best: Omit<Draft, 'use'> | null = null;
  let faults: readonly string[] = [];
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const refused = purse.refusal(messages);
    if (refused !== null && best === null) return refused;
    if (refused !== null) break;
    const question = { messages, tools: [], outputTokens: OUTPUT_TOKENS };
    const answered = await askEndpoint(job.target, question, job.around.env);
    if (answered.kind === 'problem') {
      if (best !== null) break;
      return failed(3, `Cannot draft: ${answered.message}${purse.told()}`, answered.nextStep);
    }
    purse.pay(messages, answered.answer.usage);
    const said = answered.answer.message.content ?? '';
    const judged = judge(yamlOf(said), job.name, round);
    if (judged.draft !== null && (best === null || judged.draft.findings.length < best.findings.length))
      best = judged.draft;
    faults = judged.faults;
    if (faults.length === 0) break;
    messages.push({ role: 'assistant', content: said }, { role: 'user', content: draftAgain(faults) });
  }
  if (best !== null) return { ok: true, value: { ...best, use: purse.use() } };
  return failed(
    1,
    `Cannot draft: after ${String(ROUNDS_MAX)} answers the contracts still cannot be read: ${faults.slice(0, 3).join('; ')}${purse.told()}`,
    'Try another model with --model, or a shorter text',
  );
}

/** What is wrong with a text; null where it cannot be read as contracts. */
function judge(
  text: string,
  name: string,
  round: number,
): { readonly draft: Omit<Draft, 'use'> | null; readonly faults: readonly string[] } {
  const loaded = parseContracts(text, name);
  if (!loaded.ok)
    return {
      draft: null,
      faults: loaded.problems.map(({ line, message, suggestion }) =>
        [`line ${String(line)}: ${message}`, suggestion ?? []].flat().join('. '),
      ),
    };
  const findings = lintContracts(loaded.resolved).map(
    ({ nodeId, path, message, suggestion }) =>
      `${nodeId} (line ${String(loaded.locate(path).line)}): ${message}. ${suggestion}`,
  );
  return { draft: { text, nodes: loaded.resolved.length, findings, rounds: round }, faults: findings };
}

/** The contracts that were there, under a name that is free. */
async function keepFormer(dir: string, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `contracts.before-draft-${String(number)}.yaml`;
    const isTaken = await access(join(dir, name)).then(
      () => true,
      () => false,
    );
    if (isTaken) continue;
    await rename(path, join(dir, name)).catch(() => undefined);
    return name;
  }
}
