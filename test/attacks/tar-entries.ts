/** Archives as only a hostile room would send them: headers are written byte by byte, checks of a library would refuse them. */

export interface HostileEntry {
  readonly name: string;
  /** Type byte of the ustar header; default a regular file. */
  readonly type?:
    'file' | 'link' | 'symlink' | 'character' | 'block' | 'folder' | 'fifo' | 'pax' | 'longname';
  readonly target?: string;
  readonly body?: string;
  /** Bytes that the header claims; default those of `body`. */
  readonly claims?: number;
}

const TYPES = {
  file: '0',
  link: '1',
  symlink: '2',
  character: '3',
  block: '4',
  folder: '5',
  fifo: '6',
  pax: 'x',
  longname: 'L',
} as const;
const BLOCK = 512;

/** The bytes of an archive. */
export function tarOf(entries: readonly HostileEntry[]): Buffer {
  const end = Buffer.alloc(2 * BLOCK);
  return Buffer.concat([...entries.flatMap(entryBlocks), end]);
}

function entryBlocks(entry: HostileEntry): Buffer[] {
  const body = Buffer.from(entry.body ?? '');
  const padded = Buffer.alloc(Math.ceil(body.length / BLOCK) * BLOCK);
  body.copy(padded);
  return [header(entry, entry.claims ?? body.length), padded];
}

function header(entry: HostileEntry, size: number): Buffer {
  const head = Buffer.alloc(BLOCK);
  const field = (text: string, at: number, length: number): void => {
    head.write(text.slice(0, length), at, 'utf8');
  };
  const octal = (value: number, at: number, length: number): void => {
    field(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length);
  };
  field(entry.name, 0, 100);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  head.fill(' ', 148, 156);
  field(TYPES[entry.type ?? 'file'], 156, 1);
  field(entry.target ?? '', 157, 100);
  field('ustar\u000000', 257, 8);
  const sum = head.reduce((total, byte) => total + byte, 0);
  field(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return head;
}
