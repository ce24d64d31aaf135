/**
 * Which tests cover which clause, as models write it: `{"E1": ["test_a"]}`, `["E1: test_a"]`, `[{"id": "E1", "test": "test_a"}]`.
 * What is none of these is given back as it is, for the schema to refuse.
 */
import { isRecord } from '../text/is-record.ts';

const CLAUSE_NAMES = ['clause', 'id', 'clause_id', 'name'];
const TEST_NAMES = ['tests', 'test', 'test_ids', 'test_names'];

export function readCovers(value: unknown): unknown {
  if (isRecord(value))
    return Object.entries(value).map(([clause, tests]) => ({ clause, tests: listOf(tests) }));
  return Array.isArray(value) ? value.map(coverOf) : value;
}

function coverOf(each: unknown): unknown {
  if (typeof each === 'string') {
    const [, clause, tests] = /^\s*([A-Z]\d+)\s*(?::|=|->)\s*(.+)$/u.exec(each) ?? [];
    return clause === undefined || tests === undefined ? each : { clause, tests: listOf(tests) };
  }
  if (!isRecord(each)) return each;
  const clause = CLAUSE_NAMES.find((name) => typeof each[name] === 'string');
  const tests = TEST_NAMES.find((name) => each[name] !== undefined);
  if (clause === undefined || tests === undefined) return each;
  return { clause: each[clause], tests: listOf(each[tests]) };
}

/** A name, names between commas, or a list. A test's id may hold a comma only within its brackets. */
function listOf(tests: unknown): unknown {
  if (typeof tests !== 'string') return tests;
  return /[[(]/u.test(tests) ? [tests] : tests.split(/\s*,\s*/u).filter((name) => name !== '');
}
