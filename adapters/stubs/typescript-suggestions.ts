/** What the writer of a broken `.d.ts` statement probably meant. */

const HINT = 'Write one TypeScript declaration, for example: export function parse(text: string): number;';

/** A candidate that `isDeclaration` accepts, else a hint. */
export function suggestDeclaration(text: string, isDeclaration: (candidate: string) => boolean): string {
  return candidates(text).find(isDeclaration) ?? HINT;
}

function candidates(text: string): string[] {
  const plain = text
    .replace(/[\u201c\u201d]/gu, '"')
    .replace(/[\u2018\u2019]/gu, "'")
    .replace(/;+$/u, '')
    .trim();
  const python = fromPython(plain);
  const body = plain.replace(/\s*\{[^]*\}$/u, '');
  const call = /^(?:export\s+)?(?:async\s+)?([\w$]+)\s*(\([^]*\))\s*(?:(?:=>|->|:)\s*([^]+))?$/u.exec(python);
  return [
    `${plain};`,
    `${python};`,
    `export ${body};`,
    `${body};`,
    ...(call === null ? [] : [`export function ${call[1] ?? ''}${call[2] ?? ''}: ${call[3] ?? 'void'};`]),
    ...(/^(?:export\s+)?class\s+[\w$]+$/u.test(plain) ? [`${plain} {}`] : []),
    ...(/^[A-Z][A-Z0-9_]*$/u.test(plain) ? [`export const ${plain}: number;`] : []),
    ...(/^[\w$]+\s*[:=]/u.test(plain) ? [`export const ${plain};`] : []),
    ...(/^[a-z][\w$]*$/u.test(plain) ? [`export function ${plain}(): void;`] : []),
  ];
}

function fromPython(text: string): string {
  return text
    .replace(/:?\s*\.\.\.$/u, '')
    .replace(/^(async\s+)?def\s+/u, (_, isAsync: string | undefined) => `export ${isAsync ?? ''}function `)
    .replace(/^export async function/u, 'export function')
    .replace(/\)\s*(?:->|=>)\s*/u, '): ')
    .replace(/\bstr\b/gu, 'string')
    .replace(/\b(?:int|float)\b/gu, 'number')
    .replace(/\bbool\b/gu, 'boolean')
    .replace(/\bNone\b/gu, 'void')
    .replace(/\blist\[(\w+)\]/gu, '$1[]');
}
