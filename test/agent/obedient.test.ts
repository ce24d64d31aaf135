/** An agent as weak as can be gets through by the last line of each text alone (core/shadow/next-call.ts). */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cli, makeSession } from '../support/session.ts';
import { obedientModel } from '../support/obedient-model.ts';

const CONTRACTS = `version: 1
project: { name: words, language: python }
stages: [{ id: core, kind: pure }]
nodes:
  - id: text.shout
    stage: core
    description: 'shout(text) -> str: the text in capitals and an exclamation mark'
    interface:
      exports: ['def shout(text: str) -> str: ...']
      guarantees: ['The result ends with one exclamation mark']
  - id: text.whisper
    stage: core
    description: 'Give a text back in small letters, without white space at its ends'
    interface: { exports: [], guarantees: ['No capital letter is left'] }
`;

const WORK = {
  files: {
    'text/shout.py': [
      'def shout(text: str) -> str:\n    return text + "!"\n',
      'def shout(text: str) -> str:\n    return text.upper() + "!"\n',
    ],
    'text/whisper.py': ['def whisper(text: str) -> str:\n    return text.strip().lower()\n'],
    'tests/text_shout/test_shout.py': [
      'from text.shout import shout\n\n\ndef test_capitals():\n    assert shout("ab c") == "AB C!"\n\n\ndef test_empty():\n    assert shout("") == "!"\n',
    ],
    'tests/text_whisper/test_whisper.py': [
      'from text.whisper import whisper\n\n\ndef test_small():\n    assert whisper(" Ab C\\n") == "ab c"\n\n\ndef test_empty():\n    assert whisper("") == ""\n',
    ],
  },
  testContract: [
    'def whisper(text: str) -> str',
    'whisper(" Ab ") gives "ab"',
    'an empty text gives an empty text',
  ],
};

test('an agent that only calls what the last text names grounds a node of each mode and repairs a FAIL', async () => {
  const home = await mkdtemp(join(await realpath(tmpdir()), 'a7-home-'));
  const model = await obedientModel(WORK);
  const session = await makeSession({ home, contracts: CONTRACTS });
  try {
    const run = await session.at(['run', '--model', 'obedient', '--manager', 'policy'], model.env);
    expect(run.err + run.out).toContain('sealed');
    expect(run.code).toBe(0);
    expect(model.calls.filter((call) => call.endsWith('shout.py') || call === 'submit_pr').length).toBe(
      // Suite, first code, its repair; and four completion attempts of two nodes and one repair.
      3 + 5,
    );
  } finally {
    await cli(['down'], { env: { A7_HOME: home } });
    await model.close();
    await session.remove();
    await rm(home, { recursive: true, force: true });
  }
}, 120_000);
