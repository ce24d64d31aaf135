/** What agent and person are told of an answer that ended at its limit of output tokens. */

/** What the agent's loop knows of such an answer. */
export interface CutAnswer {
  /** The limit it ended at. */
  readonly limit: number;
  /** The limit from now on, where it was raised. */
  readonly raisedTo?: number | undefined;
}

/** For the agent: a call that the end cut off. */
export function cutCallText(tool: string): string {
  return `Your answer was cut at its limit before ${tool} was complete, so this call did nothing.`;
}

/** For the agent: what the limit is, and how to stay below it. */
export function cutNote({ limit, raisedTo }: CutAnswer): string {
  const now = raisedTo === undefined ? '' : ` From now on an answer may have ${String(raisedTo)} tokens.`;
  return `Your answer ended at its limit of ${String(limit)} tokens (max_tokens).${now} Say less at once: no long thoughts, and a long file in parts: write_file with its first part, then edit_file with insert_after.`;
}

/** For the person: why a task ended, and the setting that helps. */
export function cutEnd(answers: number, limit: number, model: string): string {
  return `${String(answers)} answers in a row were cut at ${String(limit)} output tokens: raise max_tokens of model "${model}" in .a7/models.toml`;
}
