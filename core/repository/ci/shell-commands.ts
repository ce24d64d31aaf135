/**
 * The commands of a shell script. Two readings, so that none is lost:
 *  S1. `plainCommands()` gives them one by one where nothing but `&&`, `;`, line ends, pipes and `||` joins them.
 *  S2. `heldCommands()` finds every place where a command may start, in any script: rather one too many than one too few.
 * Example: `pip install x && pytest | tee log` is `pip install x` and `pytest | tee log`.
 */

export interface ShellCommand {
  /** As it stands in the script. */
  readonly text: string;
  /** The simple commands that pipes and `||` join in it. */
  readonly parts: readonly string[];
  /** Ends in `|| true` or the like: nothing that it says counts. */
  readonly isLenient: boolean;
}

type Joint = '\n' | ';' | '&&' | '||' | '|' | '&' | '';

interface Piece {
  readonly text: string;
  /** What follows it. */
  readonly joint: Joint;
}

/** Words with which a flow of its own starts or goes on. */
const FLOW =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|return|exit|exec|eval|source|\.|shopt|trap|wait|pushd|popd|alias|unset|read|declare|local|readonly|break|continue|\{|\}|!|\[\[)(?:\s|$)|^[\w-]+\s*\(\)|\)$/u;
const KEYWORD =
  /^(?:(?:if|then|elif|else|while|until|do|time|!|\{|\()(?:\s+|$)|\(+\s*|[\w-]+\s*\(\)\s*\{?\s*)/u;
const SAYS_YES = /^(?:true|:|exit\s+0|echo\b.*|printf\b.*)$/u;

/** S1. Null for a script with a flow of its own. */
export function plainCommands(script: string): ShellCommand[] | null {
  const pieces = piecesOf(script, false);
  if (pieces === null || pieces.some(({ text, joint }) => joint === '&' || FLOW.test(text))) return null;
  const commands: ShellCommand[] = [];
  let open: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    open.push(piece);
    const { joint } = piece;
    if (joint === '|' || joint === '||') continue;
    // `a && b || c` is one thing: what c does depends on both.
    if (joint === '&&' && pieces.slice(index + 1).some(endsInOr(pieces.slice(index + 1)))) continue;
    commands.push(commandOf(open));
    open = [];
  }
  if (open.length > 0) commands.push(commandOf(open));
  return commands;
}

/** Whether an `||` follows before the line ends. */
function endsInOr(rest: readonly Piece[]): (piece: Piece, index: number) => boolean {
  const end = rest.findIndex(({ joint }) => joint === '\n' || joint === ';' || joint === '');
  return ({ joint }, index) => joint === '||' && (end < 0 || index <= end);
}

function commandOf(pieces: readonly Piece[]): ShellCommand {
  const text = pieces.map(({ text: own, joint }, index) =>
    index === pieces.length - 1 ? own : `${own} ${joint}`,
  );
  const last = pieces.at(-1)?.text ?? '';
  const isLenient = pieces.at(-2)?.joint === '||' && SAYS_YES.test(last);
  return { text: text.join(' '), parts: pieces.map((piece) => piece.text), isLenient };
}

/** S2. */
export function heldCommands(script: string): string[] {
  const pieces = piecesOf(script, true) ?? script.split(/[\n;&|]+/u).map((text) => ({ text }));
  return pieces.map(({ text }) => withoutKeywords(text.trim())).filter((text) => text !== '');
}

function withoutKeywords(text: string): string {
  let rest = text;
  for (;;) {
    const next = rest.replace(KEYWORD, '');
    if (next === rest) return /^(?:fi|done|esac|\}|\)|;;)$/u.test(rest) ? '' : rest;
    rest = next;
  }
}

/** Splits at what joins commands, outside of quotes. @param isDeep also inside `$( )`, `( )` and back quotes */
function piecesOf(script: string, isDeep: boolean): Piece[] | null {
  const text = script.replaceAll('\r', '');
  const pieces: Piece[] = [];
  let [own, depth, index] = ['', 0, 0];
  const end = (joint: Joint): void => {
    if (own.trim() !== '') pieces.push({ text: own.trim(), joint });
    own = '';
  };
  while (index < text.length) {
    const char = text[index] ?? '';
    const two = text.slice(index, index + 2);
    if (!isDeep && (two === '<<' || char === '`')) return null;
    if (two === '\\\n') {
      // The line goes on; at the end of a comment it does not, which is why comments are read first.
      own += ' ';
      index += 2;
    } else if (char === '\\') {
      own += text.slice(index, index + 2);
      index += 2;
    } else if (char === "'" || char === '"') {
      const close = closing(text, index, char);
      if (close < 0) return null;
      own += text.slice(index, close + 1);
      index = close + 1;
    } else if (char === '#' && /(?:^|[\s;&|])$/u.test(own)) {
      const line = text.indexOf('\n', index);
      index = line < 0 ? text.length : line;
    } else if (char === '(' || char === ')') {
      depth += char === '(' ? 1 : -1;
      if (!isDeep && depth === 1 && char === '(' && !/[$<>=]$/u.test(own)) return null;
      if (isDeep) end(';');
      else own += char;
      index += 1;
    } else if (isDeep && char === '`') {
      end(';');
      index += 1;
    } else if (depth > 0 && !isDeep) {
      own += char;
      index += 1;
    } else if (two === '&&' || two === '||') {
      end(two);
      index += 2;
    } else if (isJoint(char, own, text[index + 1] ?? '')) {
      end(char as Joint);
      index += 1;
    } else {
      own += char;
      index += 1;
    }
  }
  end('');
  return pieces;
}

/** `2>&1`, `&>log` and `>|` join nothing. */
function isJoint(char: string, before: string, after: string): boolean {
  if (char === '&') return !before.endsWith('>') && !before.endsWith('<') && after !== '>';
  if (char === '|') return !before.endsWith('>');
  return char === '\n' || char === ';';
}

function closing(text: string, start: number, quote: string): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\' && quote === '"') index += 1;
    else if (text[index] === quote) return index;
  }
  return -1;
}
