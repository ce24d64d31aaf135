/** Calls in tags: `<function=name>...`, `<invoke name="name">...`, `<name><path>...</path></name>`. Any word may be their name. */
import { looseObject } from '../text/loose-json.ts';

export interface TaggedCall {
  readonly from: number;
  readonly to: number;
  readonly word: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function taggedCalls(text: string): readonly TaggedCall[] {
  const named = /<(function|invoke|tool)(?:=|\s+name\s*=\s*)["']?([\w.-]+)["']?\s*>([\s\S]*?)<\/\1>/gu;
  const found = [...text.matchAll(named)].map((match) =>
    callOf(match, match[2] ?? '', inputOf(match[3] ?? '')),
  );
  if (found.length > 0) return found;
  const own = /<([a-z]+_[a-z_]+)((?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*>([\s\S]*?)<\/\1>/gu;
  return [...text.matchAll(own)].map((match) =>
    callOf(match, match[1] ?? '', ownFields(match[2] ?? '', match[3] ?? '')),
  );
}

function callOf(match: RegExpExecArray, word: string, input: TaggedCall['input']): TaggedCall {
  return { from: match.index, to: match.index + match[0].length, word, input };
}

function inputOf(body: string): TaggedCall['input'] {
  const parameter = /<parameter(?:=|\s+name\s*=\s*)["']?(\w+)["']?[^>]*>([\s\S]*?)<\/parameter>/gu;
  return /<parameter/u.test(body) ? pairs(body, parameter) : (looseObject(body) ?? fieldsOf(body));
}

/** `<write_file path="a.py">...</write_file>`: beside attributes the body is what is left, the content. */
function ownFields(attributes: string, body: string): TaggedCall['input'] {
  const given = [...attributes.matchAll(/(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu)].map(
    ([, name = '', double, single]) => [name, double ?? single ?? ''] as const,
  );
  const fields = fieldsOf(body);
  const isContent = given.length > 0 && Object.keys(fields).length === 0 && body.trim() !== '';
  return {
    ...Object.fromEntries(given),
    ...(isContent ? { content: body.replace(/^\r?\n/u, '') } : fields),
  };
}

function fieldsOf(body: string): TaggedCall['input'] {
  const fields = pairs(body, /<(\w+)>([\s\S]*?)<\/\1>/gu);
  return Object.keys(fields).length > 0 ? fields : (looseObject(body) ?? {});
}

function pairs(body: string, pattern: RegExp): TaggedCall['input'] {
  return Object.fromEntries(
    [...body.matchAll(pattern)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^\r?\n/u, '').replace(/\r?\n$/u, ''),
    ]),
  );
}
