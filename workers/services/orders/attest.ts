/** `attest order ID`: the PASS of an order as a signed in-toto statement. */
import { signStatement } from '../../../adapters/keys/envelope.ts';
import { signerOf } from '../../../adapters/keys/session-keys.ts';
import { sha256 } from '../../../adapters/system/sha256.ts';
import { factsOfOrder } from '../../../core/order/verdict-facts.ts';
import type { Result } from '../../../core/ports/services.ts';
import { statementText } from '../../../core/record/statement.ts';
import type { Envelope } from '../../../schemas/signature.ts';
import { privateKey } from '../attest.ts';
import { type Surroundings, failed, messageOf } from '../common.ts';
import { withOrder } from './data.ts';
import { passedSnapshot } from './passed.ts';
import { typed } from '../../../core/text/typed.ts';

/** Signs what the record agrees on, and nothing else. `keyFile`: a key of one's own; null: the home's. */
export async function attestOrder(
  around: Surroundings,
  id: string,
  keyFile: string | null,
): Promise<Result<Envelope>> {
  const key = await privateKey(around, keyFile).catch(messageOf);
  if (typeof key === 'string') return failed(2, key);
  return withOrder(around, id, async (folder) => {
    const passed = await passedSnapshot(folder, 'attest');
    if ('ok' in passed) return { ...passed, exitCode: 1 };
    const { base } = await folder.state();
    const plan = await folder.get('plan.json');
    if (base === null || plan === null || sha256(plan) !== base.planDigest)
      return failed(
        1,
        `Cannot attest order ${folder.id}: its plan differs from what its ledger says`,
        typed`a7-rt order replay ${folder.id}`,
      );
    const facts = factsOfOrder(folder.id, passed.snapshot, passed.report);
    return { ok: true, value: signStatement(statementText(facts), signerOf(key)) };
  });
}
