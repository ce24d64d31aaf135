/** Every command of ours that a text of the product prints, taken from the sources: no list is kept by hand. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Command } from 'commander';

export interface PrintedCommand {
  /** `workers/services/seed.ts:109` */
  readonly place: string;
  /** Words behind `a7-rt`; VALUE stands for what is put in. */
  readonly words: readonly string[];
  /** Values are put in that could be more than one word of a shell: the template is not `typed`. */
  readonly isRaw: boolean;
}

const FOLDERS = ['client', 'core', 'adapters', 'activities', 'workers', 'workflows', 'schemas'];
export const VALUE = 'VALUE';

/** Of all sources below `root`. */
export function printedCommands(root: string): readonly PrintedCommand[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => commandsIn(join(folder, name), readFileSync(join(root, folder, name), 'utf8'))),
  );
}

function commandsIn(path: string, text: string): readonly PrintedCommand[] {
  if (!text.includes('a7-rt ')) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: PrintedCommand[] = [];
  const visit = (node: ts.Node): void => {
    const read = textOf(node);
    if (read !== null) {
      const place = `${path}:${String(file.getLineAndCharacterOfPosition(node.getStart()).line + 1)}`;
      const isTyped = ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === 'typed';
      for (const words of commandsOf(read))
        found.push({ place, words, isRaw: !isTyped && words.some((word) => word.includes(VALUE)) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `${VALUE}${literal.text}`).join('');
}

/** A command ends with its line, at `;`, `&&`, a comma, a closing bracket or a quotation mark that stood before it. */
function commandsOf(text: string): readonly (readonly string[])[] {
  return [
    ...text
      .replaceAll(/cd shop && a7-rt (\w+)/gu, 'a7-rt $1 shop')
      .matchAll(/(["'`]?)a7-rt (?=[a-z])([^\n]*)/gu),
  ].map(([, quote = '', rest = '']) => {
    const own = quote === '' ? rest : (rest.split(quote)[0] ?? '');
    const words = own.match(/"[^"]*"|'[^']*'|[^\s"']+/gu) ?? [];
    const end = words.findIndex((word) => /[;,)]$|^[&|]+$|^#$/u.test(word));
    const last = words[end] ?? '';
    const kept =
      end === -1 ? words : [...words.slice(0, end), ...(/^[&|#]/u.test(last) ? [] : [last.slice(0, -1)])];
    return kept.map((word) => word.replace(/:$/u, ''));
  });
}

/** Why these words are no command of the program; null where they are one. What stands behind a whole command is prose. */
export function commandProblem(program: Command, words: readonly string[]): string | null {
  let command = program;
  let at = 0;
  for (;;) {
    const next = command.commands.find(
      (each) => each.name() === words[at] || each.aliases().includes(words[at] ?? ''),
    );
    if (next === undefined) break;
    command = next;
    at += 1;
  }
  if (command === program) return `there is no command "${words[0] ?? ''}"`;
  const given = [...words.slice(at)];
  for (const argument of command.registeredArguments) {
    while (given[0]?.startsWith('-') === true) takeOption(command, given);
    const word = given.shift();
    if (word === undefined || !isValue(word))
      return argument.required
        ? `${command.name()} needs <${argument.name()}>, and finds "${word ?? ''}"`
        : null;
  }
  const unknown = given.filter((word) => /^--\w/u.test(word)).find((word) => !hasOption(command, word));
  return unknown === undefined ? null : `${command.name()} has no option ${unknown}`;
}

function takeOption(command: Command, given: string[]): void {
  const option = command.options.find(({ long, short }) => [long, short].includes(given[0]));
  given.shift();
  if (option?.required === true) given.shift();
}

function hasOption(command: Command, word: string): boolean {
  return word === '--help' || command.options.some(({ long }) => long === word);
}

/** What is put in, a name in capitals that says what belongs there, a text in quotes, or a word of the examples. */
function isValue(word: string): boolean {
  return (
    word.includes(VALUE) ||
    /^[A-Z][A-Z-]*$|^["']|^(shop|\.|\/)|[./]|^(verify|cat|bash|last|order|--|-)$/u.test(word)
  );
}
