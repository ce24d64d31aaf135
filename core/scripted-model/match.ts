/**
 * Which answer of a script belongs to a request.
 *
 * M1. The same place (role, stage, node, dispatch, turn) gets the same answer again: a repeated request is not a new one.
 * M2. Otherwise the first rule that fits and is not used up wins; a rule without `repeat` serves one place.
 */
import type { CallCoordinates } from '../../schemas/model.ts';
import type { ModelScript, ScriptAnswer, ScriptRule } from '../../schemas/model-script.ts';

/** A rule with one answer; `turns` are split up. */
export interface FlatRule {
  /** For people: `rule 3` or `rule 3, turn 2`. */
  readonly name: string;
  readonly when: Pick<ScriptRule, 'role' | 'node' | 'stage' | 'dispatch' | 'turn' | 'told' | 'repeat'>;
  readonly answer: ScriptAnswer;
}

/** Places served so far: place to index of the flat rule. */
export type Bindings = ReadonlyMap<string, number>;

export type Match =
  | { readonly kind: 'found'; readonly index: number; readonly rule: FlatRule }
  | { readonly kind: 'none'; readonly message: string };

const NEAR_RULES_MAX = 2;

/** The rules in order, one answer each. */
export function flattenRules(script: ModelScript): readonly FlatRule[] {
  return script.rules.flatMap((rule, index) => {
    const name = `rule ${String(index + 1)}`;
    const { role, node, stage, dispatch, turn, told, repeat } = rule;
    const when = { role, node, stage, dispatch, turn, told, repeat };
    const turns = (rule.turns ?? []).map((answer, position) => ({
      name: `${name}, turn ${String(position + 1)}`,
      when: { ...when, turn: position + 1 },
      answer,
    }));
    return rule.answer === undefined ? turns : [{ name, when, answer: rule.answer }, ...turns];
  });
}

/** The name of a place, the same for every request from it. */
export function placeOf(at: CallCoordinates): string {
  return [at.role, at.stage, at.node ?? '', at.dispatch, at.turn].join('|');
}

/** @param told what the model was told, all of it. */
export function matchRule(
  rules: readonly FlatRule[],
  bindings: Bindings,
  at: CallCoordinates,
  told = '',
): Match {
  const bound = bindings.get(placeOf(at));
  const boundRule = bound === undefined ? undefined : rules[bound];
  if (bound !== undefined && boundRule !== undefined) return { kind: 'found', index: bound, rule: boundRule };
  const used = new Set(bindings.values());
  const index = rules.findIndex(
    (rule, position) => fits(rule, at, told) && (rule.when.repeat || !used.has(position)),
  );
  const rule = rules[index];
  if (rule !== undefined) return { kind: 'found', index, rule };
  return { kind: 'none', message: noRuleMessage(rules, used, at, told) };
}

/** Whether `text` fits a glob whose only sign is `*` (any run of characters). */
export function globFits(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  if (rest.length === 0) return glob === text;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

function fits({ when }: FlatRule, at: CallCoordinates, told: string): boolean {
  return mismatches(when, at, told).length === 0;
}

function mismatches(when: FlatRule['when'], at: CallCoordinates, told: string): readonly string[] {
  const checks: readonly [string, boolean][] = [
    ['role', when.role === '*' || when.role === at.role],
    ['node', when.node === '*' || (at.node !== null && globFits(when.node, at.node))],
    ['stage', globFits(when.stage, at.stage)],
    ['dispatch', when.dispatch === '*' || when.dispatch === at.dispatch],
    ['turn', when.turn === '*' || when.turn === at.turn],
    ['told', when.told === undefined || new RegExp(when.told).test(told)],
  ];
  return checks.filter(([, isMatch]) => !isMatch).map(([name]) => name);
}

function noRuleMessage(
  rules: readonly FlatRule[],
  used: ReadonlySet<number>,
  at: CallCoordinates,
  told: string,
): string {
  const near = rules
    .map((rule, index) => ({ rule, index, wrong: mismatches(rule.when, at, told) }))
    .sort((left, right) => left.wrong.length - right.wrong.length || left.index - right.index)
    .slice(0, NEAR_RULES_MAX)
    .map(({ rule, index, wrong }) => {
      const why = wrong.length > 0 ? `differs in ${wrong.join(', ')}` : used.has(index) ? 'used up' : 'fits';
      return `${rule.name} (${why})`;
    });
  const place = `${at.role} of ${at.node ?? 'no node'}, stage ${at.stage}, dispatch ${String(at.dispatch)}, turn ${String(at.turn)}`;
  return `No rule for ${place}. Nearest: ${near.length === 0 ? 'there is none' : near.join(', ')}`;
}
