/** Compiled Python that an interpreter takes without looking at its source. */
import { execFileSync } from 'node:child_process';

const PROGRAM = String.raw`
import base64, importlib.util, marshal, sys
code = compile(sys.stdin.read(), 'shop.py', 'exec')
head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, 'little') + bytes(8)
sys.stdout.write(sys.implementation.cache_tag + ' ' + base64.b64encode(head + marshal.dumps(code)).decode())
`;

/** As the Python of this machine writes it, which is that of the rooms. */
export function uncheckedBytecode(source: string): { readonly tag: string; readonly base64: string } {
  const told = execFileSync('python3', ['-c', PROGRAM], { input: source, encoding: 'utf8' });
  const [tag = '', base64 = ''] = told.split(' ');
  return { tag, base64 };
}
