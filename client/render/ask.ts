/** A question to the person at the terminal: on stderr, so that stdout stays the answer of the command. */
import { createInterface } from 'node:readline/promises';

/** Shows `text`, then asks; only `y` and `yes` agree. */
export async function askYes(text: string, question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    process.stderr.write(`${text}\n`);
    const answer = await lines.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
