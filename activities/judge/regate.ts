/** Activity `regate`: judges known code again without a model: the head moved, a cap was lifted, a suite is new (design part 6). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { mutationMsOf } from '../../core/gate/code/mutation.ts';
import type { RegateInput } from '../../schemas/stage-io.ts';
import { GateOutcome } from '../../schemas/stage.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { contractIn, frozenBook, suiteOf } from '../shared/trees.ts';
import { verifyCode } from '../shared/verify.ts';
import type { JudgePorts } from './ports.ts';

/** The verdict on `tree` laid over `head`; a retry finds the stored one. */
export async function regate(ports: JudgePorts, input: RegateInput): Promise<GateOutcome> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = `${input.at.stageId}/${input.nodeId}/${input.gateId}`;
  const known = await session.results.get(key, 'regated', GateOutcome);
  if (known !== null) return known;
  const book = await frozenBook(session);
  const contract = contractIn(book, input.nodeId);
  const context = {
    session,
    gate: ports.gateOf(session),
    image: await ports.imageOf(session),
    book,
    contract,
    baseCommit: input.head,
    stepKey: input.gateId,
    isCharged: true,
    mutationMs: mutationMsOf(contract, ports.mutationMs),
    signal: cancellationSignal(),
  };
  const suite = await suiteOf(session, input.nodeId, input.suite);
  const verified = await withHeartbeat(heartbeat, () => verifyCode(context, input.tree, suite, null));
  await ports.artifactsOf(session).saveVerification({
    run: input.run,
    step: input.gateId,
    folder: 'iteration-1',
    purpose: 'regate',
    role: null,
    turn: null,
    outcome: verified.outcome,
    files: [],
  });
  return session.results.putFirst(key, 'regated', GateOutcome, verified.gate);
}
