/** Messages of a child, one line of JSON each; null for what is none. */
const MAX_LINE = 4 * 1024 * 1024;

export function readLines(stream, take) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('error', () => take(null));
  stream.on('data', (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    if (rest.length > MAX_LINE) return stream.destroy(new Error('line too long'));
    for (const part of parts) take(parsed(part));
  });
}

function parsed(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === 'object' && message !== null ? message : null;
  } catch {
    return null;
  }
}
