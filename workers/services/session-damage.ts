/** What of a session is gone or damaged, before anything is read from it: named in one sentence, with the command that goes on. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isShorterThanCopy } from '../../adapters/store/ledger-copy.ts';
import type { SessionPaths } from '../../adapters/store/session.ts';

/** A part is gone that other parts need: `a7-rt restore` makes it again from what is there. */
export class SessionDamaged extends Error {
  override readonly name = 'SessionDamaged';
}

/** Null where every part that the ledger speaks of is there. */
export function damageOf(paths: SessionPaths): string | null {
  if (isShorterThanCopy(paths.ledger, paths.ledgerCopy))
    return existsSync(paths.ledger)
      ? 'events.jsonl lost lines that its copy in .a7/spare has'
      : 'events.jsonl is gone, its copy in .a7/spare is there';
  const isSeeded = (statSync(paths.ledger, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!isSeeded)
    return existsSync(paths.master) ? 'events.jsonl is gone or empty, and master.json is there' : null;
  if (!existsSync(join(paths.content, '.git', 'HEAD')))
    return existsSync(paths.content)
      ? 'content/.git, the repository of grounded work, is gone'
      : 'content/, the grounded work, is gone';
  if (!existsSync(join(paths.store, 'HEAD'))) return 'store.git, the trees of agents and suites, is gone';
  return null;
}
