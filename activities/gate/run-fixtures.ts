/** Runs a contract's fixtures on code that passed everything else; each in a room of its own, without the suite's files. */
import { fixtureFinding, withFixtures, type FixtureStep } from '../../core/gate/code/fixtures.ts';
import { isSuiteFile } from '../../core/gate/gate-files.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { Judged, JudgeInput } from './judged.ts';
import { programEnv, WORK_DIR } from './programs.ts';
import { runProgram, type RoomEnd } from './room.ts';

/** The judgement with L2, where the plan has any. */
export async function addFixtures(input: JudgeInput, judged: Judged): Promise<Judged> {
  const steps = input.plan.steps.filter((step) => step.kind === 'fixture');
  if (steps.length === 0) return judged;
  if (judged.judgement.verdict !== 'PASS')
    return { ...judged, judgement: withFixtures(judged.judgement, []) };
  const ends: RoomEnd[] = [];
  for (const [index, step] of steps.entries()) ends.push(await runFixture(input, step, index + 1));
  const findings = ends.flatMap(({ result }, index) => {
    const step = steps[index];
    const found = step && fixtureFinding(step, index + 1, result, result.files[WORK_DIR] ?? []);
    return found ?? [];
  });
  return {
    ...judged,
    judgement: withFixtures(judged.judgement, findings),
    commands: [...judged.commands, ...ends.map((end) => end.record)],
    artifacts: [...judged.artifacts, ...ends.flatMap((end) => end.artifacts)],
  };
}

function runFixture(input: JudgeInput, step: FixtureStep, ordinal: number): Promise<RoomEnd> {
  const { contract } = input.context.request;
  const inputs = Object.entries(step.files).map(([path, text]): SandboxFile => {
    return { path, bytes: new TextEncoder().encode(text) };
  });
  const given = new Set(inputs.map((file) => file.path));
  const tree = input.files.filter((file) => !isSuiteFile(file.path, contract) && !given.has(file.path));
  const { environment } = input.plan;
  return runProgram(input.context, {
    name: `fixture-${String(ordinal)}`,
    argv: step.argv,
    files: [...tree, ...inputs],
    stdin: step.stdin,
    limits: step.limits,
    env: programEnv(environment, environment.hashSeeds[0]),
    collectWork: Object.keys(step.expect.files).length + step.expect.filesAbsent.length > 0,
  });
}
