interface Last {
  readonly isGarbage?: true | undefined;
  readonly garbage?: string | undefined;
}

/** Why a task ends whose messages call no tool; an endpoint may say itself what is wrong there. */
export function silenceText(messages: number, limit: number, { isGarbage, garbage }: Last): string {
  const said = garbage === undefined || garbage.trim() === '' ? '' : ` but ${garbage.trim()}`;
  const what =
    isGarbage === true
      ? `; the last answer was no chat completion${said}: is there a model at this endpoint?`
      : '';
  return `no tool call in ${String(messages)} messages in a row (limit ${String(limit)})${what}`;
}
