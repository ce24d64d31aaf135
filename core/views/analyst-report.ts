/** What an analyst found, from the note that it handed in (seed 001, `analyst_findings`). */
import type { AnalystReport } from '../../schemas/stage.ts';

type Scope = AnalystReport['scope'];

/** How sure it is stands in the note as its role asks, `Confidence: high`; medium where it does not say. */
export function analystReport(note: string, scope: Scope, sources: readonly string[]): AnalystReport {
  const said = /\bconfidence\W{1,3}(high|medium|low|void)\b/iu.exec(note)?.[1]?.toLowerCase();
  const confidence = said === 'high' || said === 'low' || said === 'void' ? said : 'medium';
  return { scope, findings: [note], confidence, sources: [...sources] };
}
