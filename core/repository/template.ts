/** The text that `gate init` writes: a plan that works as it is, with the rest of what can be said as comments. */
import type { ProfileName } from '../../schemas/verify-profile.ts';
import { languagesIn } from './detect-profile.ts';
import type { PlannedCheck } from './understand/ci-checks.ts';
import type { PlannedTest, Understood } from './understand/understood.ts';
import type { ExactPins, FoundPins } from './exact-pins.ts';

/** Where `gate init` puts the schema, and what the first line names. */
export const VERIFY_SCHEMA_PATH = '.a7/verify.schema.json';

const TESTS: Readonly<Record<Exclude<ProfileName, 'polyglot'>, string>> = {
  python: `  - name: python tests
    runner: pytest            # our own reporter counts what ran
    # paths: [tests]
    # min_tests: 1
    # max_skipped: 0          # more skipped or deselected tests: INVALID, never PASS
`,
  node: `  - name: node tests
    runner: node_test         # node --test; our own reporter counts what ran
    # paths: [test]
    # min_tests: 1
    # max_skipped: 0          # more skipped tests: INVALID, never PASS
`,
  go: `  - name: go tests
    run: [go, test, -json, ./...]
    proof: go_json            # what shows that tests ran: an exit code shows nothing
    timeout_s: 300
`,
  rust: `  - name: rust tests
    run: [cargo, test, --offline]
    proof: libtest            # what shows that tests ran: an exit code shows nothing
    timeout_s: 300
`,
};

const RUNTIMES: Readonly<Record<ProfileName, string>> = {
  python: "{ python: '3.11' }",
  node: "{ node: '20' }",
  go: "{ go: '>=1.19' }",
  rust: "{ rust: '>=1.63' }",
  polyglot: "{ python: '3.11', node: '20' }",
};

const NONE: FoundPins = { pins: [], leftOut: [] };
const NO_PINS: ExactPins = { python: NONE, node: NONE };

/**
 * @param paths what the repository holds: required files are chosen among them, and languages of `polyglot`.
 * @param pins exact versions that it names itself: the plan takes them over.
 */
export function profileTemplate(
  profile: ProfileName,
  paths: readonly string[],
  pins: ExactPins = NO_PINS,
  understood: Partial<Understood> = {},
): string {
  const shown = profile === 'polyglot' ? languagesIn(paths) : [profile];
  const languages = shown.length === 0 ? (['python', 'node'] as const) : shown;
  const readme = paths.find((path) => /^readme(\.\w+)?$/i.test(path));
  const required = readme === undefined ? '  # required_files: [README.md]' : `  required_files: [${readme}]`;
  return `# yaml-language-server: $schema=${VERIFY_SCHEMA_PATH}
#
# What the work in this repository must pass. "a7-rt gate run" judges it by this file in a clean room without network,
# "a7-rt gate check" checks the file, "a7-rt gate show" prints all that judges and where each part comes from.
version: 1

# Defaults of a language: no keys and credentials, no giant binaries, its runtime, its test command.
profile: ${profile}

# L0: files, before anything runs.
contract:
${required}
  # forbidden_globs: ['build/**']
  # naming: [{ files: ['src/**'], style: snake_case }]
  # schemas: [{ files: ['config/*.json'], schema: config/schema.json }]
  max_binary_bytes: 1048576

${notesText(understood.notes ?? [])}${environmentText(profile, languages, pins, understood)}
# L1: tests.
tests:
${
  (understood.tests ?? []).map(testText).join('') +
  (understood.checks ?? []).map(checkText).join('') +
  languages
    .filter((language) => !isTold(language, understood))
    .map((language) => TESTS[language])
    .join('')
}  # - { name: build, kind: check, run: make }      # a check passes by its exit code and is no test

# L2: the work from outside, on inputs that its tests do not know. This file never lies in the clean room.
# fixtures:
#   - name: adds two numbers
#     command: [python3, -m, app, add]
#     stdin: "1 2\\n"
#     files: { 'in.json': '{}' }
#     expect: { exit_code: 0, stdout: "3\\n" }    # also stdout_contains, stderr_contains, json, files, files_absent

# L3: the product runs from a fresh checkout.
# execution:
#   - { name: shows its help, command: [python3, -m, app, --help] }

${policyText(understood)}#   timeout_s: 120           # of a command that names none; for Go and Rust 300
#   isolation: hardened
#   disallowed_commands: [sudo, curl]
#   leave_out: ['vendor/**']
`;
}

/** Languages whose tests are told; the others get the usual command. */
function isTold(language: string, { tests = [] }: Partial<Understood>): boolean {
  return tests.some((test) => test.language === language);
}

function testText({ name, start, paths, args, minTests, maxSkipped, timeoutSeconds }: PlannedTest): string {
  const lines = [
    `  - name: ${quoted(name)}`,
    ...('runner' in start
      ? [`    runner: ${start.runner}`]
      : [
          `    run: [${start.run.map(quoted).join(', ')}]`,
          `    proof: ${start.proof}            # what shows that tests ran: an exit code shows nothing`,
        ]),
    ...(paths.length === 0 ? [] : [`    paths: [${paths.map(quoted).join(', ')}]`]),
    ...(args.length === 0 ? [] : [`    args: [${args.map(quoted).join(', ')}]`]),
    minTests === null
      ? '    # min_tests: 1            # fewer: INVALID, never PASS'
      : `    min_tests: ${String(minTests)}            # as many as ran when this file was written; fewer: INVALID, never PASS`,
    maxSkipped === 0
      ? '    # max_skipped: 0          # more skipped or deselected tests: INVALID, never PASS'
      : `    max_skipped: ${String(maxSkipped)}           # as many as were skipped or deselected then; more: INVALID`,
    ...(timeoutSeconds === null ? [] : [`    timeout_s: ${String(timeoutSeconds)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function checkText({ name, argv, before, from }: PlannedCheck): string {
  const list = (words: readonly string[]): string => `[${words.map(quoted).join(', ')}]`;
  return [
    `  - name: ${quoted(name)}             # ${from}`,
    '    kind: check',
    `    run: ${list(argv)}`,
    ...(before.length === 0 ? [] : ['    before:', ...before.map((each) => `      - ${list(each)}`)]),
    '',
  ].join('\n');
}

function policyText({ memoryMb = null, diskMb = null }: Partial<Understood>): string {
  if (memoryMb === null && diskMb === null) return '# policy:\n#   memory_mb: 1024\n';
  const line = (name: string, value: number | null, usual: number): string =>
    value === null
      ? ''
      : `  ${name}: ${String(value)}          # its tests need more than the usual ${String(usual)}\n`;
  return `policy:\n${line('memory_mb', memoryMb, 1024)}${line('disk_mb', diskMb, 256)}`;
}

/** What of the repository's own settings was not taken over, each with the next step. */
function notesText(notes: readonly string[]): string {
  if (notes.length === 0) return '';
  const lines = notes.map((note) => `#  - ${note.replaceAll(/[^\x20-\x7e\u2026]/gu, '?')}`);
  return ['# Not taken over from the repository:', ...lines, '', ''].join('\n');
}

function quoted(word: string): string {
  // A text of JSON is one of YAML, also with line ends in it.
  if (/[^\x20-\x7e]/u.test(word)) return JSON.stringify(word);
  return /^[\w][\w./ -]*$/u.test(word) && !/^(?:\d|true$|false$|null$|yes$|no$|on$|off$)/iu.test(word)
    ? word
    : `'${word.replaceAll("'", "''")}'`;
}

function environmentText(
  profile: ProfileName,
  languages: readonly string[],
  pins: ExactPins,
  { pythonPath = null, debian = [], setup = [] }: Partial<Understood>,
): string {
  const known = (['python', 'node'] as const).filter((each) => languages.includes(each));
  const own = known.filter((each) => pins[each].pins.length > 0);
  const locked = (['go', 'rust'] as const).filter((each) => (pins[each] ?? []).length > 0);
  const laid = own.length + debian.length + locked.length;
  const isOpen = laid + setup.length > 0 || pythonPath !== null;
  const sign = isOpen ? '' : '# ';
  const dependencies =
    laid === 0
      ? ["#   dependencies: { python: ['attrs==24.2.0'], node: ['ms@2.1.3'], debian: [] }"]
      : [
          '  dependencies:            # exact versions that the repository names, for the clean room',
          ...own.map((each) => `    ${each}: [${pins[each].pins.map((pin) => `'${pin}'`).join(', ')}]`),
          ...(debian.length === 0 ? [] : [`    debian: [${debian.join(', ')}]`]),
          ...locked.flatMap((each) => [
            `    ${each}:`,
            ...(pins[each] ?? []).map((pin) => `      - '${pin}'`),
          ]),
        ];
  return [
    `${sign}environment:`,
    `#   runtimes: ${RUNTIMES[profile]}          # looked for in the clean room`,
    ...dependencies,
    ...known
      .flatMap((each) => pins[each].leftOut)
      .map((name) => `    # left out, no exact version or in the image: ${name}`),
    ...(pythonPath === null
      ? []
      : [`  python_path: [${pythonPath.map(quoted).join(', ')}]     # Python imports from there first`]),
    ...(setup.length === 0
      ? ['#   setup: [{ name: build, run: make }]      # before each command, in the same fresh checkout']
      : [
          '  setup:',
          ...setup.map(({ name, run }) => `    - { name: ${quoted(name)}, run: ${quoted(run)} }`),
        ]),
    '',
  ].join('\n');
}
