/** Patterns for files as shells and runners know them: `test/*.js`, `test/**`, `{unit,api}/a?.js`. */

/** Whether a path fits. */
export function matcher(pattern) {
  const parts = pattern.split(/(\*\*\/|\*\*|\*|\?|\{[^}]*\})/u).map(part);
  const whole = new RegExp(`^${parts.join('')}$`, 'u');
  return (path) => whole.test(path);
}

function part(text) {
  if (text === '**/') return '(?:.*/)?';
  if (text === '**') return '.*';
  if (text === '*') return '[^/]*';
  if (text === '?') return '[^/]';
  if (text.startsWith('{')) return `(?:${text.slice(1, -1).split(',').map(escaped).join('|')})`;
  return escaped(text);
}

function escaped(text) {
  return text.replaceAll(/[.+^$()|[\]\\{}]/gu, '\\$&');
}
