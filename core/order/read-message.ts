/** What somebody types into an order's page: text is advice, and what is no message is told, no more (decision 0036). */
import type { SignalRefusal } from '../../schemas/ledger-parts.ts';
import { OrderMessage } from '../../schemas/order-io.ts';
import { SIGNAL_AUTHOR, shownOf } from '../stage/read-signal.ts';

const REASON_MAX_CHARS = 1000;
const FORMS =
  'Send one line of text as advice, or {"kind":"cancel","by":"NAME","reason":"WHY"}, or {"kind":"advice","id":"NEW","by":"NAME","text":"..."}';

/** The payload of the signal `order`. `id` is given to what brings none. */
export function readMessage(
  sent: unknown,
  id: string,
): { readonly message: OrderMessage } | { readonly refusal: SignalRefusal } {
  const asked = typeof sent === 'string' ? { kind: 'advice', id, by: 'temporal', text: sent } : sent;
  const read = OrderMessage.safeParse(asked);
  if (read.success) return { message: read.data };
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') ?? '';
  return {
    refusal: refusalOf(`${field === '' ? 'It' : field}: ${issue?.message ?? 'is not valid'}`, sent, id),
  };
}

/** A signal of another name: nothing listens to it. */
export function unknownMessage(name: string, sent: unknown, id: string): SignalRefusal {
  return refusalOf(`There is no signal "${name.slice(0, 100)}": the signal is named "order"`, sent, id);
}

function refusalOf(reason: string, sent: unknown, id: string): SignalRefusal {
  return {
    id,
    by: SIGNAL_AUTHOR,
    shown: shownOf(sent),
    reason: `${reason.slice(0, 500)}. ${FORMS}`.slice(0, REASON_MAX_CHARS),
  };
}
