/** Lies about what suite and code share beside values: files, variables, replaced names, objects of a derived class. */
import { family, type Act } from '../attack.ts';
import { SHARED_HONEST } from './shared-node.ts';

const shared = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'shared',
  source: `${SHARED_HONEST}${lines.join('\n')}\n`,
  limits: { testTimeoutMs: 1500, wallMs: 15_000 },
});
/** Answers a call with a message that tells of something shared. */
const tells = (call: string, told: string): Act =>
  shared(
    'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)',
    `def ${call}: frame(json.dumps([1, None, ["", "", ${told}], []]).encode())`,
  );

export const SHARED = family('wall attacks', {
  'a link to the suite in the shared folder': shared(
    'def save(path, text): os.symlink("/work/tests/shop_thing/test_it.py", path)',
  ),
  'a pipe in the shared folder': shared('def save(path, text): os.mkfifo(path)'),
  'a terabyte in the shared folder': shared(
    'def save(path, text):',
    '    with open(path, "w") as f: f.truncate(1 << 40)',
  ),
  'a thread that copies what the suite writes': shared(
    'def watch(folder):',
    '    while True:',
    '        try: shutil.copyfile(folder + "/wanted", folder + "/out")',
    '        except OSError: pass',
    'def save(path, text): threading.Thread(target=watch, args=(os.path.dirname(path),), daemon=True).start()',
  ),
  'a file outside the shared folder': tells(
    'save(path, text)',
    '{"files": [["../out", "f", 420, 0, "MTI="]]}',
  ),
  'the folder of the suite to work in': tells('setting()', '{"environment": {"": "/work"}}'),
  'the record of a replaced name': shared(
    'def wait(seconds): time.sleep.called, time.sleep.call_count, time.sleep.call_args = True, 1, ((2.5,), {})',
  ),
  'the record of an object of a derived class': shared('def emit(observer, n): observer._seen = [n]'),
});
