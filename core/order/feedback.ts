/** What the next iteration is told: made of a verification report alone (seed 003, module G). */
import { NO_COUNTER_PROOF } from '../repository/counter-proof.ts';
import { canonicalJson } from '../text/canonical.ts';
import type { RepositoryFinding, RepositoryReport } from '../../schemas/repository-report.ts';

/** One failure, bounded. */
export interface FeedbackItem {
  readonly level: string;
  readonly step: string | null;
  readonly command: string | null;
  readonly text: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly excerpt: string | null;
  readonly nextStep: string | null;
}

export interface OrderFeedback {
  readonly verdict: string;
  readonly level: string | null;
  readonly items: readonly FeedbackItem[];
  readonly omitted: number;
  /** How often in a row the same failure came. */
  readonly repeats: number;
}

/** How a report begins to tell what the tests of the base say of a change that brought other ones. */
export const OLD_TESTS = 'The tests as they were before the change:';

/** What a verdict's own line says of a PASS. */
const OPEN = [OLD_TESTS, NO_COUNTER_PROOF];

const ITEMS_MAX = 10;
const EXCERPT_CHARS_MAX = 1_500;

/** Structured feedback. Fixtures (L2) are the platform's: of them name and kind are told, neither input nor expected value. */
export function feedbackOf(report: RepositoryReport, repeats: number): OrderFeedback {
  const findings = report.levels.flatMap(({ findings: each }) => each);
  return {
    verdict: report.verdict,
    level: levelOf(report),
    items: findings.slice(0, ITEMS_MAX).map((found) => itemOf(found, report)),
    omitted: Math.max(0, findings.length - ITEMS_MAX),
    repeats,
  };
}

/** Level of the first finding. */
export function levelOf(report: RepositoryReport): FeedbackItem['level'] | null {
  return report.levels.find(({ findings }) => findings.length > 0)?.level ?? null;
}

/** One line for people. */
export function headlineOf(report: RepositoryReport): string {
  const first = report.levels.flatMap(({ findings }) => findings)[0];
  if (first === undefined) {
    const ran = report.levels.filter(({ status }) => status === 'passed').map(({ level }) => level);
    const open = report.notes.filter((note) => OPEN.some((start) => note.startsWith(start)));
    return [`PASS, ${ran.join(' ')}`, ...open].join('. ').slice(0, 500);
  }
  return `${report.verdict} at ${first.level}: ${first.text}`.slice(0, 500);
}

/** Text of what makes two failures the same: neither trees nor times. */
export function failureText(report: RepositoryReport): string {
  const findings = report.levels.flatMap(({ findings: each }) => each);
  return canonicalJson(
    findings.map(({ code, level, step, place, text, expected, actual }) => {
      return { code, level, step, file: place?.file ?? null, text, expected, actual };
    }),
  );
}

function itemOf(found: RepositoryFinding, report: RepositoryReport): FeedbackItem {
  const command = report.commands.find((each) => each.name === found.step)?.command ?? null;
  return {
    level: found.level,
    step: found.step,
    command,
    text: found.text,
    file: found.place?.file ?? null,
    line: found.place === null || found.place.line === 0 ? null : found.place.line,
    expected: found.expected,
    actual: found.actual,
    excerpt: found.excerpt?.slice(0, EXCERPT_CHARS_MAX) ?? null,
    nextStep: found.nextStep,
  };
}

/** The same for a model to read. */
export function feedbackMarkdown({ verdict, level, items, omitted, repeats }: OrderFeedback): string {
  const told =
    repeats === 0
      ? []
      : [
          `This is the same failure as ${repeats === 1 ? 'the last time' : `the last ${String(repeats)} times`}: what you changed did not help. Look for another cause.`,
          '',
        ];
  return [
    `The clean room said ${verdict}${level === null ? '' : ` at ${level}`}.`,
    '',
    ...told,
    ...items.flatMap(itemLines),
    ...(omitted === 0 ? [] : [`And ${String(omitted)} more.`]),
    '',
  ].join('\n');
}

function itemLines(item: FeedbackItem): string[] {
  const place =
    item.file === null ? '' : ` (${item.file}${item.line === null ? '' : `:${String(item.line)}`})`;
  const field = (name: string, value: string | null): string[] =>
    value === null ? [] : [`  ${name}: ${value}`];
  return [
    `- ${item.level}${item.step === null ? '' : ` ${item.step}`}: ${item.text}${place}`,
    ...field('command', item.command),
    ...field('expected', item.expected),
    ...field('actual', item.actual),
    ...(item.excerpt === null ? [] : ['  output:', ...item.excerpt.split('\n').map((line) => `    ${line}`)]),
    ...field('next', item.nextStep),
  ];
}
