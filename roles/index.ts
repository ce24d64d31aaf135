/** Prompts as data: Markdown files with strict `{{placeholders}}` (style part 3.5). No prompt text lives in code. */
import { readFileSync } from 'node:fs';

export type PromptName =
  | 'builder'
  | 'builder-room'
  | 'test-author'
  | 'test-author-room'
  | 'test-author-mode-a'
  | 'test-author-mode-b'
  | 'test-author-of-others'
  | 'analyst'
  | 'manager'
  | 'oracle'
  | 'reviewer'
  | 'protocols/none'
  | 'protocols/lean'
  | 'protocols/full';

const texts = new Map<PromptName, string>();
const PLACEHOLDER = /\{\{([a-z_]+)\}\}/g;

/** Text of a prompt with every placeholder filled. @throws {Error} if a placeholder has no value or a value no placeholder. */
export function renderPrompt(name: PromptName, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const text = load(name).replace(PLACEHOLDER, (_, key: string) => {
    const value = values[key];
    if (value === undefined)
      throw new Error(`Cannot render prompt "${name}": placeholder "${key}" has no value`);
    unused.delete(key);
    return value;
  });
  if (unused.size > 0) {
    throw new Error(`Cannot render prompt "${name}": it has no placeholder for ${[...unused].join(', ')}`);
  }
  return text.trimEnd();
}

function load(name: PromptName): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`./${name}.md`, import.meta.url), 'utf8');
  texts.set(name, text);
  return text;
}
