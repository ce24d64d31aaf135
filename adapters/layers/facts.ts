/** Versions of what runs in an image, asked inside the sandbox. */
import type { SandboxPort } from '../../core/ports/sandbox.ts';
import { ImageRuntimes } from '../../schemas/layer.ts';

const MIB = 1024 * 1024;
const WALL_MS = 30_000;

/** Prints one JSON object: program to version. What the image does not have is left out. */
const ASK = String.raw`
import json, re, subprocess, sys
found = {'python': '.'.join(map(str, sys.version_info[:3]))}
try:
    import pytest
    found['pytest'] = pytest.__version__
except ImportError:
    pass
for name, command in {'node': ['node', '--version'], 'git': ['git', '--version'], 'go': ['go', 'version'],
                      'rustc': ['rustc', '--version'], 'cargo': ['cargo', '--version']}.items():
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
    except OSError:
        continue
    match = re.search(r'\d+\.\d+(?:\.\d+)*', out)
    if match:
        found[name] = match.group(0)
print(json.dumps(found))
`;

/** @throws when the sandbox was lost or answered something else */
export async function askRuntimes(sandbox: SandboxPort, image: string, key: string): Promise<ImageRuntimes> {
  const result = await sandbox.run({
    key,
    owner: 'facts',
    image,
    mounts: [{ path: '/work', files: [] }],
    argv: ['python3', '-s', '-P', '-B', '-c', ASK],
    env: { GOCACHE: '/tmp/go', GOFLAGS: '-mod=mod' },
    limits: {
      wallMs: WALL_MS,
      memoryBytes: 512 * MIB,
      diskBytes: 32 * MIB,
      filesMax: 1_000,
      processesMax: 64,
      outputBytes: MIB,
      cpus: 1,
    },
  });
  const { outcome } = result;
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0)
    throw new Error(
      `Cannot read the versions of image "${image}": the sandbox ended as ${JSON.stringify(outcome)}`,
    );
  return ImageRuntimes.parse(JSON.parse(result.stdout.text));
}
