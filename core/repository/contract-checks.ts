/** L0: checks of a repository's files, before anything runs. Pure over paths and bytes. */
import { checkGlob, matchesAnyGlob, matchesGlob } from '../globs.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { disallowedCommands } from './disallowed-commands.ts';
import { repositoryFinding } from './finding.ts';
import { type DocumentTools, schemaFindings } from './schema-files.ts';
import type { JudgedFile } from './judged-file.ts';

/** Findings named for one rule; more are counted. */
const FINDINGS_MAX = 20;
/** Where git and we look for the NUL byte that makes a file binary. */
const BINARY_LOOK_BYTES = 8000;

/** What the L0 steps of a plan find in these files. @param tools read what schemas describe. */
export function contractFindings(
  plan: GatePlan,
  files: readonly JudgedFile[],
  tools: DocumentTools,
): RepositoryFinding[] {
  const paths = files.map((file) => file.path);
  return plan.steps.flatMap((step): RepositoryFinding[] => {
    switch (step.kind) {
      case 'required_files':
        return step.globs.flatMap((glob) => requiredFinding(glob, paths, step.source.detail));
      case 'forbidden_globs':
        return limited(
          paths.flatMap((path) => forbiddenFinding(path, step)),
          'forbidden_file',
        );
      case 'naming':
        return limited(
          paths.flatMap((path) => namingFinding(path, step)),
          'naming',
        );
      case 'file_sizes':
        return limited(
          files.flatMap((file) => sizeFindings(file, step)),
          'binary_too_large',
        );
      case 'schema_files':
        return limited(schemaFindings(step, files, tools), 'schema_violated');
      case 'disallowed_commands':
        return limited(disallowedCommands(step, plan, files), 'command_disallowed');
      default:
        return [];
    }
  });
}

/** Globs of a plan that no path rule knows, each with where it stands. */
export function brokenGlobs(
  plan: GatePlan,
): { readonly glob: string; readonly why: string; readonly at: string }[] {
  return plan.steps.flatMap((step) => {
    if (!('source' in step)) return [];
    return globsOf(step).flatMap((glob) => {
      const why = checkGlob(glob);
      return why === null ? [] : [{ glob, why, at: step.source.detail }];
    });
  });
}

function globsOf(step: GatePlan['steps'][number]): readonly string[] {
  if (step.kind === 'naming') return [...step.globs, ...step.names];
  if (step.kind === 'file_sizes') return step.binariesAllowed;
  return 'globs' in step ? step.globs : [];
}

function limited(
  findings: readonly RepositoryFinding[],
  code: RepositoryFinding['code'],
): RepositoryFinding[] {
  const rest = findings.length - FINDINGS_MAX;
  if (rest <= 0) return [...findings];
  const more = repositoryFinding(code, 'L0', `The same rule is broken in ${String(rest)} more places`);
  return [...findings.slice(0, FINDINGS_MAX), more];
}

function requiredFinding(glob: string, paths: readonly string[], at: string): RepositoryFinding[] {
  if (paths.some((path) => matchesGlob(glob, path))) return [];
  const text = `Required file "${glob}" is missing (${at})`;
  return [
    repositoryFinding('required_missing', 'L0', text, {
      nextStep: `Add it, or change ${at}`,
      expected: glob,
    }),
  ];
}

function forbiddenFinding(
  path: string,
  { globs, source }: RepositoryStepOf<'forbidden_globs'>,
): RepositoryFinding[] {
  const glob = globs.find((each) => matchesGlob(each, path));
  if (glob === undefined) return [];
  const text = `File "${path}" is forbidden by "${glob}" (${source.detail})`;
  return [
    repositoryFinding('forbidden_file', 'L0', text, {
      place: { file: path, line: 0 },
      nextStep: 'Remove it from the change, or list it in .gitignore',
    }),
  ];
}

const STYLES: Readonly<Record<string, RegExp>> = {
  snake_case: /^_*[a-z0-9]+(_+[a-z0-9]+)*_*$/,
  'kebab-case': /^[a-z0-9]+(-[a-z0-9]+)*$/,
  camelCase: /^[a-z][a-zA-Z0-9]*$/,
  PascalCase: /^[A-Z][a-zA-Z0-9]*$/,
};

function namingFinding(path: string, step: RepositoryStepOf<'naming'>): RepositoryFinding[] {
  if (!matchesAnyGlob(step.globs, path)) return [];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const stem = name.replace(/^\.+/, '').split('.', 1)[0] ?? '';
  const isRight =
    step.style === null ? matchesAnyGlob(step.names, name) : (STYLES[step.style]?.test(stem) ?? false);
  if (isRight) return [];
  const expected = step.style ?? step.names.map((each) => `"${each}"`).join(' or ');
  const text = `File name "${name}" must be ${expected} (${step.source.detail})`;
  return [
    repositoryFinding('naming', 'L0', text, { place: { file: path, line: 0 }, expected, actual: name }),
  ];
}

function sizeFindings(file: JudgedFile, step: RepositoryStepOf<'file_sizes'>): RepositoryFinding[] {
  const size = file.bytes.byteLength;
  const place = { file: file.path, line: 0 };
  const at = step.source.detail;
  if (size > step.fileBytesMax) {
    const text = `File "${file.path}" has ${String(size)} bytes, at most ${String(step.fileBytesMax)} are allowed (${at})`;
    return [repositoryFinding('file_too_large', 'L0', text, { place })];
  }
  if (size <= step.binaryBytesMax || !isBinary(file.bytes)) return [];
  if (matchesAnyGlob(step.binariesAllowed, file.path)) return [];
  const text = `Binary file "${file.path}" has ${String(size)} bytes, at most ${String(step.binaryBytesMax)} are allowed (${at})`;
  const nextStep = 'Keep it elsewhere, or list it under contract.binaries_allowed';
  return [repositoryFinding('binary_too_large', 'L0', text, { place, nextStep })];
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_LOOK_BYTES).includes(0);
}
