/** Driver `aider`: edits as text, for models without tools. It exits 0 whatever happened and prints prose; the tree tells. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { tailOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const PROMPT = 'prompt.md';
const PRICES = 'models.json';
const CONTEXT_TOKENS = 128_000;
const OUTPUT_TOKENS = 8_192;

/** As `python -m aider`, but for the cache of its map of the repository, which it would lay into the work tree. */
const START = `import sys, aider.repomap
aider.repomap.RepoMap.TAGS_CACHE_DIR = "${ROOM.home}/.aider.tags"
from aider.main import main
sys.exit(main())`;

/** litellm's names of what an endpoint may answer, and an answer that it could not read. */
const FAILED = /litellm\.[A-Za-z]*(?:Error|Timeout)\b[^\n]*|^\w*Error: .*(?=\n)/m;

export const aiderDriver: RoomDriver = {
  kind: 'room',
  name: 'aider',
  protocol: 'chat',
  memoryBytes: 1536 * MIB,
  line: ({ prompt, model, url, token }) => ({
    argv: [
      ...['python3', '-c', START, '--model', `openai/${model}`],
      ...[
        '--model-metadata-file',
        `${ROOM.home}/${PRICES}`,
        '--edit-format',
        'diff',
        '--message-file',
        `${ROOM.home}/${PROMPT}`,
      ],
      ...[
        '--yes-always',
        '--no-auto-commits',
        '--no-dirty-commits',
        '--no-gitignore',
        '--no-auto-lint',
        '--no-auto-test',
      ],
      ...[
        '--no-suggest-shell-commands',
        '--no-show-model-warnings',
        '--no-check-update',
        '--no-show-release-notes',
      ],
      ...['--analytics-disable', '--no-detect-urls', '--no-pretty', '--no-stream', '--no-fancy-input'],
      ...['--chat-history-file', '/dev/null', '--input-history-file', '/dev/null'],
    ],
    env: {
      PYTHONPATH: `${ROOM.program}/site`,
      OPENAI_API_KEY: token,
      OPENAI_API_BASE: `${url}/v1`,
      // Without these it looks for prices and news on the network, and waits.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      AIDER_CHECK_UPDATE: 'false',
    },
    stdin: '',
    files: [
      { path: PROMPT, text: prompt },
      { path: PRICES, text: JSON.stringify({ [`openai/${model}`]: ENTRY }) },
    ],
  }),
  read: ({ exitCode, stdout, stderr }) => {
    const failed = FAILED.exec(stdout)?.[0];
    if (failed !== undefined && !/^Applied edit to /m.test(stdout))
      return { end: { kind: 'model_error', exitCode, detail: failed.slice(0, 1000) }, notes: null };
    if (exitCode !== 0)
      return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes: null };
    return { end: { kind: 'ok', exitCode, detail: '' }, notes: null };
  },
};

const ENTRY = {
  litellm_provider: 'openai',
  mode: 'chat',
  max_tokens: OUTPUT_TOKENS,
  max_input_tokens: CONTEXT_TOKENS,
  max_output_tokens: OUTPUT_TOKENS,
  input_cost_per_token: 0,
  output_cost_per_token: 0,
};
