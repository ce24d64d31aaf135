/** Commands as this person types them: who began with `npx a7-rt` has no `a7-rt` on the path. */

/** npm says so to what `npx` starts. */
const IS_STARTED_BY_NPX = process.env['npm_command'] === 'exec';
/** Lines that are there to be typed: behind `next`, and by themselves. */
const TYPED_LINE = /^(?:.*next\b.*| +a7-rt .*)$/gmu;

/** The text, with `npx` before each command of ours that it tells to type. */
export function asTyped(text: string, isStartedByNpx = IS_STARTED_BY_NPX): string {
  if (!isStartedByNpx) return text;
  return text.replaceAll(TYPED_LINE, (line) => line.replaceAll(/(?<![^\s(])a7-rt (?=[a-z])/gu, 'npx a7-rt '));
}
