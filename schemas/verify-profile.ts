/**
 * `verify.yaml` (or `.a7/verify.yaml`): how a project says what its work must pass, in the terms of the gate plan: contract
 * checks (L0), environment set-up, test commands (L1), black-box fixtures (L2), clean-room execution (L3), execution policy.
 */
import { z } from 'zod';
import { BlackBoxCheck, CheckName, CommandLine, TimeoutSeconds } from './black-box.ts';

export const ProfileName = z.enum(['python', 'node', 'go', 'rust', 'polyglot']);
export type ProfileName = z.infer<typeof ProfileName>;

/** What a glob may be is checked where the plan is resolved: this is its text. */
const Globs = z.array(z.string().min(1)).max(500);

export const NamingRule = z
  .strictObject({
    files: Globs.min(1).describe('Which files the rule is about.'),
    style: z
      .enum(['snake_case', 'kebab-case', 'camelCase', 'PascalCase'])
      .optional()
      .describe('How the file name, up to its first dot, is written.'),
    names: Globs.optional().describe('Globs for the file name itself: one of them must match.'),
  })
  .refine((rule) => (rule.style === undefined) !== (rule.names === undefined), {
    error: 'must have one of "style" and "names"',
  });
export type NamingRule = z.infer<typeof NamingRule>;

export const SchemaRule = z.strictObject({
  files: Globs.min(1).describe('JSON or YAML files that the schema describes.'),
  schema: z
    .union([z.string().min(1), z.record(z.string(), z.json())], {
      error: 'must be the path of a JSON schema in the repository, or the schema itself',
    })
    .describe('Path of a JSON schema in the repository, or the schema itself.'),
});
export type SchemaRule = z.infer<typeof SchemaRule>;

const Contract = z.strictObject({
  required_files: Globs.default([]).describe('Each path or glob must match at least one file.'),
  forbidden_globs: Globs.default([]).describe('No file may match: keys, credentials, build output.'),
  naming: z.array(NamingRule).max(100).default([]),
  schemas: z.array(SchemaRule).max(100).default([]),
  max_file_bytes: z.int().positive().optional().describe('No file may be larger.'),
  max_binary_bytes: z.int().positive().optional().describe('No binary file may be larger.'),
  binaries_allowed: Globs.default([]).describe('Binary files that may be larger than max_binary_bytes.'),
});

const Runtime = z.string().regex(/^(>=)?\d+(\.\d+){0,2}$/, 'must be a version like "3.11" or ">=3.11"');

const Environment = z.strictObject({
  runtimes: z
    .strictObject({
      python: Runtime.optional(),
      node: Runtime.optional(),
      go: Runtime.optional(),
      rust: Runtime.optional(),
    })
    .prefault({})
    .describe('Versions that must be in the clean room; checked there before anything runs.'),
  dependencies: z
    .strictObject({
      python: z.array(z.string().min(1)).default([]),
      node: z.array(z.string().min(1)).default([]),
      debian: z.array(z.string().min(1)).default([]),
      go: z.array(z.string().min(1)).default([]),
      rust: z.array(z.string().min(1)).default([]),
    })
    .prefault({})
    .describe('Packages with exact versions, resolved once into a layer of the image.'),
  setup: z
    .array(z.strictObject({ name: CheckName, run: CommandLine }))
    .max(20)
    .default([])
    .describe('Steps before each command, in the same fresh checkout, without network.'),
  variables: z
    .record(
      z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be A-Z, 0-9 and _, for example "APP_MODE"'),
      z.string(),
    )
    .default({}),
  time_zone: z.string().min(1).default('UTC'),
  python_path: z
    .array(
      z
        .string()
        .regex(/^(?:\.|(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^:\\]+)$/, 'must be a folder of the repository'),
    )
    .max(50)
    .optional()
    .describe(
      'Folders of the repository that Python imports from first. Default: those that hold packages, like src.',
    ),
});

/** What in a command's output shows that tests ran. `{count} passed` counts the number in that place. */
export const TestProof = z.union(
  [z.enum(['go_json', 'libtest', 'tap']), z.string().regex(/^[^\n]{0,200}\{count\}[^\n]{0,200}$/)],
  { error: 'must be "go_json", "libtest", "tap", or a line of the output with {count} in it' },
);
export type TestProof = z.infer<typeof TestProof>;

/** Runners that are started as themselves: `pytest` and `node_test` with our own reporter, the others with one of theirs. */
export const TestRunner = z.enum(['pytest', 'node_test', 'mocha', 'jest', 'vitest', 'tape', 'ava', 'tap']);
export type TestRunner = z.infer<typeof TestRunner>;

export const TestCommand = z
  .strictObject({
    name: CheckName,
    kind: z
      .enum(['test', 'check'])
      .default('test')
      .describe('A check (lint, types, build) passes by its exit code and counts as no test.'),
    runner: TestRunner.optional().describe('Started as it is, and its tests are counted.'),
    paths: z.array(z.string().min(1)).max(500).default([]).describe('Files or folders for the runner.'),
    args: z.array(z.string()).max(50).default([]).describe('Further words for the runner.'),
    run: CommandLine.optional(),
    before: z
      .array(CommandLine)
      .max(20)
      .default([])
      .describe(
        'Commands before this one, after set-up, in the same fresh checkout: a build that it rests on.',
      ),
    proof: TestProof.optional(),
    min_tests: z.int().min(1).max(100_000).default(1),
    max_skipped: z.int().min(0).max(100_000).default(0).describe('Skipped or deselected tests allowed.'),
    exit_code: z.int().min(0).max(255).default(0),
    timeout_s: TimeoutSeconds.optional(),
  })
  .refine((command) => (command.run === undefined) !== (command.runner === undefined), {
    error: 'must have one of "runner" and "run"',
  });
export type TestCommand = z.infer<typeof TestCommand>;

const Policy = z.strictObject({
  network: z.enum(['off', 'on']).default('off').describe('The clean room has none: "on" is refused.'),
  isolation: z
    .enum(['partial', 'hardened'])
    .optional()
    .describe('The least isolation that the sandbox must have proved at its start.'),
  timeout_s: TimeoutSeconds.optional().describe(
    'Wall time of a command that names none; default 120, for Go and Rust 300.',
  ),
  memory_mb: z.int().min(16).max(16_384).default(1024),
  disk_mb: z.int().min(1).max(16_384).default(256).describe('What a command may write.'),
  max_processes: z.int().min(1).max(4096).default(128),
  disallowed_commands: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe('Words that no command of the plan, package script, Makefile or shell script may hold.'),
  leave_out: Globs.default([]).describe('Paths that are not judged and not laid into the clean room.'),
});

/** The whole file. Without `profile` nothing but what is written here judges. */
export const VerifyProfile = z.strictObject({
  version: z.literal(1),
  profile: ProfileName.optional().describe(
    'Adds the defaults of a language; what is written here goes first.',
  ),
  contract: Contract.prefault({}).describe('L0: checks of files, before anything runs.'),
  environment: Environment.prefault({}),
  tests: z.array(TestCommand).max(50).optional().describe('L1. Default: the test command of the profile.'),
  fixtures: z.array(BlackBoxCheck).max(200).default([]).describe('L2: black-box checks on given inputs.'),
  execution: z
    .array(BlackBoxCheck)
    .max(50)
    .default([])
    .describe('L3: the product runs from a fresh checkout.'),
  policy: Policy.prefault({}),
});
export type VerifyProfile = z.infer<typeof VerifyProfile>;

/** Where the file may lie, first found first read. */
export const PROFILE_PATHS = ['verify.yaml', '.a7/verify.yaml'] as const;

/** JSON schema (draft 7) of what a person may write: fields with a default are optional. */
export function verifyJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(VerifyProfile, { target: 'draft-7', io: 'input' }),
    title: 'a7-rt gate plan',
    description: 'What the work of a project must pass, judged in a clean room.',
  };
}
