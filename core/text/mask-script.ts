/** A JavaScript or TypeScript source with the content of comments, strings, templates and regular expressions blanked; positions stay. */

/** After these a slash begins a regular expression. */
const BEFORE_REGEX =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield))\s*$/u;
/** How far back is looked for what stands before a slash. */
const LOOK_BACK = 60;

/** Quotes stay, what they hold does not; what a template computes is code. */
export function maskScript(text: string): string {
  const parts: string[] = [];
  /** Depth of braces inside each `${`. */
  const templates: number[] = [];
  let at = 0;
  const blank = (end: number): void => {
    parts.push(text.slice(at, end).replace(/[^\n]/gu, ' '));
    at = end;
  };
  while (at < text.length) {
    const character = text.charAt(at);
    const two = text.slice(at, at + 2);
    if (two === '//') blank(endOf(text, /\n/gu, at, 0));
    else if (two === '/*') blank(endOf(text, /\*\//gu, at + 2, 2));
    else if (character === "'" || character === '"') blank(endOfString(text, at));
    else if (character === '`' || (character === '}' && templates.at(-1) === 0)) {
      if (character === '}') templates.pop();
      const end = endOfTemplate(text, at + 1);
      if (text.slice(end - 2, end) === '${') templates.push(0);
      blank(end);
    } else if (character === '/' && BEFORE_REGEX.test(parts.join('').slice(-LOOK_BACK)))
      blank(endOfRegex(text, at));
    else {
      const depth = templates.at(-1);
      if (depth !== undefined && character === '{') templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && character === '}') templates[templates.length - 1] = depth - 1;
      parts.push(character);
      at += 1;
    }
    if (parts.length > 400) parts.splice(0, parts.length, parts.join(''));
  }
  return parts.join('');
}

function endOf(text: string, pattern: RegExp, from: number, extra: number): number {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found === null ? text.length : found.index + extra;
}

function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote || text.charAt(at) === '\n') return at + 1;
  }
  return text.length;
}

/** Behind the closing quote, or behind the next `${`. */
function endOfTemplate(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === '`') return at + 1;
    else if (text.slice(at, at + 2) === '${') return at + 2;
  }
  return text.length;
}

function endOfRegex(text: string, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '\n') return start + 1;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (character === '/' && !isInClass) return at + 1;
  }
  return text.length;
}
