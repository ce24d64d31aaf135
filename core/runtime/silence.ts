/** Why a task ends whose messages call no tool. */
export function silenceText(messages: number, limit: number, isGarbage: boolean): string {
  const what = isGarbage
    ? '; the last answer was no chat completion: is there a model at this endpoint?'
    : '';
  return `no tool call in ${String(messages)} messages in a row (limit ${String(limit)})${what}`;
}
