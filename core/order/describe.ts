/** An order in words: for the pages of Temporal, `order show` and `summary.md`. */
import { counted } from '../text/plural.ts';
import { typed } from '../text/typed.ts';
import type { OrderState } from './types.ts';

/** One line. */
export function orderLine(state: OrderState): string {
  const { order, status, iterations } = state;
  const last = iterations.at(-1);
  const iteration =
    last === undefined
      ? ''
      : `, iteration ${String(last.iteration)} of ${String(order.limits.iterationsMax)}`;
  return `${status}${iteration}, ${order.agent.name}: ${firstLine(order.task)}`.slice(0, 190);
}

/** What stays on Temporal's page when nothing runs that could answer for the order. */
export function orderDetails({ order }: OrderState): string {
  const { branch, at } = order.source;
  return [
    `Work order **${order.id}** for \`${at}\`${branch === null ? '' : `, branch ${branch}`}: ${firstLine(order.task)}`,
    '',
    `How it ended stands in the memo \`outcome\` and in \`A7Outcome\`: SUCCEEDED, FAILED or CANCELED. \`${typed`a7-rt order show ${order.id}`}\` tells the whole, \`${typed`a7-rt order report ${order.id}`}\` the verdict, \`${typed`a7-rt order diff ${order.id}`}\` the patch.`,
  ].join('\n');
}

/** The whole story as Markdown. */
export function orderPage(state: OrderState): string {
  const { order, base, end, usage } = state;
  return [
    `# Order ${order.id}: ${state.status}`,
    '',
    firstLine(order.task),
    '',
    `- repository: ${order.source.at}${order.source.branch === null ? '' : `, branch ${order.source.branch}`}`,
    `- base: ${base === null ? 'not resolved' : `${base.commit} (tree ${base.tree})`}`,
    `- gate: ${base === null ? order.gate.from : `${base.planFrom} (${base.planDigest})`}`,
    `- agent: ${order.agent.name}${order.agent.model === null ? '' : `, model ${order.agent.model}`}`,
    `- used: ${counted(usage.calls, 'call')}, ${String(usage.inputTokens)} tokens in, ${String(usage.outputTokens)} out, ${costText(usage.costMicroUsd)}; ${String(Math.round(state.spentMs / 1000))} s`,
    ...state.promotions.map(({ kind, name, commit }) => `- promoted: ${kind} ${name}, ${commit}`),
    ...state.refused.map(({ shown, reason }) => `- not understood: ${shown.slice(0, 100)}. ${reason}`),
    ...(end === null ? [] : [`- end: ${end.status} (${end.code}): ${end.message}`]),
    '',
    ...state.iterations.map((each) => {
      const agent = each.end === null ? 'no turn of the agent ended' : `agent ${each.end.kind}`;
      const verdict = each.headline ?? 'not judged';
      return `- iteration ${String(each.iteration)}: ${agent}, ${counted(each.changed, 'file')} changed, ${verdict}`;
    }),
    '',
  ].join('\n');
}

function costText(costMicroUsd: number | null): string {
  return costMicroUsd === null ? 'cost unknown' : `${(costMicroUsd / 1e6).toFixed(4)} USD`;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 120) ?? '';
}
