/** Reads a script (YAML or JSON) and the files that it names; mistakes are told with file and place. */
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { errorCode, readFault } from '../../core/text/error-text.ts';
import { readNamedText } from '../system/named-file.ts';
import { ModelScript, type ScriptAnswer } from '../../schemas/model-script.ts';

/** @throws when the file is missing, no YAML, no script, or names a file that is missing. */
export async function loadModelScript(path: string): Promise<ModelScript> {
  const text = await readNamed(path, `Cannot read model script "${path}"`);
  return inlineFiles(parseModelScript(parseYaml(text, path), path), dirname(path));
}

/** Checks a script that is already data. `name` says where it is from. @throws with every mistake and its place. */
export function parseModelScript(data: unknown, name: string): ModelScript {
  const parsed = ModelScript.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new Error(
    `Cannot use model script "${name}": it does not follow its schema\n${z.prettifyError(parsed.error)}`,
  );
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    const reason =
      typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : '';
    throw new Error(`Cannot read model script "${path}": ${reason}`, { cause });
  }
}

async function inlineFiles(script: ModelScript, folder: string): Promise<ModelScript> {
  const rules = script.rules.map(async (rule) => ({
    ...rule,
    ...(rule.answer !== undefined && { answer: await inlineAnswer(rule.answer, folder) }),
    ...(rule.turns !== undefined && {
      turns: await Promise.all(rule.turns.map((turn) => inlineAnswer(turn, folder))),
    }),
  }));
  return { ...script, rules: await Promise.all(rules) };
}

async function inlineAnswer(answer: ScriptAnswer, folder: string): Promise<ScriptAnswer> {
  const calls = answer.tool_calls.map(async ({ content_file: file, ...call }) => {
    if (file === undefined) return call;
    const content = await readNamed(
      join(folder, file),
      `Cannot read content_file "${file}" of the model script`,
    );
    return { ...call, arguments: { ...call.arguments, content } };
  });
  return { ...answer, tool_calls: await Promise.all(calls) };
}

async function readNamed(path: string, action: string): Promise<string> {
  return readNamedText(path).catch((cause: unknown) => {
    const why = errorCode(cause) === 'ENOENT' ? 'no such file' : readFault(cause);
    throw new Error(`${action}: ${why} at "${path}"`, { cause });
  });
}
