/** One line of models.toml changed, and nothing else of a person's file. */
import type { ToolCalls } from '../../schemas/config.ts';

/** The text with `tool_calls` set in the table of an alias; the table is added where it is missing. */
export function setToolCalls(text: string, alias: string, form: ToolCalls): string {
  const line = `tool_calls = "${form}" # found by a7-rt models --check`;
  const lines = text.split('\n');
  const at = lines.findIndex((each) => aliasOf(each) === alias);
  if (at === -1) {
    const key = /^[\w-]+$/.test(alias) ? alias : JSON.stringify(alias);
    const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return `${before}${text === '' ? '' : '\n'}[${key}]\n${line}\n`;
  }
  const next = lines.findIndex((each, index) => index > at && /^\s*\[/.test(each));
  const end = next === -1 ? lines.length : next;
  const old = lines.findIndex((each, index) => index > at && index < end && /^\s*tool_calls\s*=/.test(each));
  return (old === -1 ? lines.toSpliced(at + 1, 0, line) : lines.toSpliced(old, 1, line)).join('\n');
}

/** `[fast]`, `["qwen/coder"]`, `['x']`; null for any other line. */
function aliasOf(line: string): string | null {
  const [, bare, quoted, plain] =
    /^\s*\[\s*(?:([\w-]+)|("(?:[^"\\]|\\.)*")|'([^']*)')\s*\]\s*(?:#.*)?$/.exec(line) ?? [];
  if (bare !== undefined) return bare;
  if (plain !== undefined) return plain;
  try {
    return quoted === undefined ? null : (JSON.parse(quoted) as string);
  } catch {
    return null;
  }
}
