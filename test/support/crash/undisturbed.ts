/** One run that nobody disturbed, made once a test run: what all crash files start from and are compared with. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../adapters/store/lock.ts';
import { type Facts, findings, sessionFacts } from './facts.ts';
import { openYard, succeed } from './yard.ts';

export interface Undisturbed {
  /** A seeded session that no run has touched; to be copied. */
  readonly template: string;
  /** The same when its first stage is sealed and nothing runs: where a strike at the second stage may begin. */
  readonly halfway: string;
  /** Its sealed copy, of which the verdicts are kept. */
  readonly dir: string;
  readonly facts: Facts;
  /** Lines of its ledger: how far a run is, whatever the machine's pace. */
  readonly lines: number;
}

const WAIT_MAX_MS = 480_000;

/** Test files share it by the home that global set-up made. @throws with what is wrong when the run is not whole. */
export async function undisturbedRun(): Promise<Undisturbed> {
  const folder = join(process.env['A7_HOME'] ?? tmpdir(), `crash-${String(process.ppid)}`);
  const result = join(folder, 'undisturbed.json');
  const make = async (): Promise<Undisturbed> => {
    if (existsSync(result)) return JSON.parse(readFileSync(result, 'utf8')) as Undisturbed;
    const made = await makeIn(folder);
    writeFileSync(result, JSON.stringify(made));
    return made;
  };
  return withLock(folder, make, WAIT_MAX_MS);
}

async function makeIn(folder: string): Promise<Undisturbed> {
  const [template, halfway, dir] = ['template', 'halfway', 'undisturbed'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  mkdirSync(folder, { recursive: true });
  const yard = await openYard();
  try {
    const session = await yard.session('undisturbed');
    cpSync(yard.template, template, { recursive: true });
    await succeed(session.run('core'));
    cpSync(session.dir, halfway, { recursive: true });
    await succeed(session.run());
    const facts = sessionFacts(session.dir);
    const wrong = await findings(yard.home, session, facts);
    if (wrong.length > 0) throw new Error(`The undisturbed run is not whole: ${wrong.join('; ')}`);
    cpSync(join(session.dir, 'reports'), join(dir, 'reports'), { recursive: true });
    return { template, halfway, dir, facts, lines: session.lines().length };
  } finally {
    await yard.close();
  }
}
