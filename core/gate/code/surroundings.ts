/**
 * L0: code that asks where it runs, where nothing in its contract needs the answer. Read from words of the source, so it is a finding
 * for people and managers and never a verdict: honest code has reasons, and hostile code has other ways (docs/wall-messages.md).
 */
import type { Language } from '../../../schemas/ids.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Finding } from '../../../schemas/report.ts';
import { finding } from '../finding.ts';

interface Question {
  /** What it asks, for people. */
  readonly about: string;
  /** How a source asks it. */
  readonly asks: RegExp;
  /** Words of a contract that need the answer. */
  readonly needs: RegExp;
}

const STACK = /\b(?:call(?:er| stack)|stack|frame|trace|debug|inspect|profil)/iu;
const ENVIRONMENT = /\b(?:environ|variable|setting|config|locale|time ?zone)/iu;
const ARGUMENTS = /\b(?:argument|command|argv|cli\b|option|flag|program)/iu;
const PLACE = /\b(?:folder|director|path|file|user|host|home|machine|platform|process)/iu;
const TESTS = /\b(?:test|assert|mock)/iu;

/** Of both languages: what only a suite, a gate or a sandbox could answer. */
const ANY: readonly Question[] = [
  {
    about: 'files of its process',
    asks: /["'`/]proc\/(?:self|\d|\$)|["'`]\/sys\/|\bcgroup\b/u,
    needs: PLACE,
  },
];

const PYTHON: readonly Question[] = [
  {
    about: 'its call stack',
    asks: /\b(?:_getframe|_current_frames|currentframe|getouterframes|extract_stack|f_back|tb_frame|gi_frame|cr_frame)\b|\binspect\.stack\b/u,
    needs: STACK,
  },
  { about: 'objects of others', asks: /\bgc\.(?:get_objects|get_referrers)\b/u, needs: STACK },
  {
    about: 'every step of others',
    asks: /\bsys\.(?:settrace|setprofile|addaudithook|monitoring)\b/u,
    needs: STACK,
  },
  {
    about: 'its environment',
    asks: /\bos\.(?:environb?|getenvb?)\b|\bimport environ\b/u,
    needs: ENVIRONMENT,
  },
  { about: 'its arguments', asks: /\bsys\.(?:orig_)?argv\b/u, needs: ARGUMENTS },
  {
    about: 'user, host or folder',
    asks: /\bos\.(?:getcwdb?|getlogin|getuid|getppid|uname)\b|\bgetpass\.getuser\b|\bgethostname\b|\bPath\.(?:cwd|home)\b/u,
    needs: PLACE,
  },
  {
    about: 'which modules are loaded',
    asks: /\bsys\.modules\b|\b(?:import|from) (?:_pytest|pytest|unittest)\b/u,
    needs: TESTS,
  },
];

const ECMA: readonly Question[] = [
  {
    about: 'its call stack',
    asks: /\bprepareStackTrace\b|\bcaptureStackTrace\b|\bnew Error\([^)]*\)\.stack\b/u,
    needs: STACK,
  },
  { about: 'its environment', asks: /\bprocess\.env\b/u, needs: ENVIRONMENT },
  { about: 'its arguments', asks: /\bprocess\.(?:argv0?|execArgv)\b/u, needs: ARGUMENTS },
  {
    about: 'user, host or folder',
    asks: /\bprocess\.(?:cwd|ppid|getuid|geteuid)\b|\bos\.(?:hostname|userInfo|homedir)\b/u,
    needs: PLACE,
  },
  {
    about: 'which modules are loaded',
    asks: /\brequire\.(?:cache|main)\b|\bprocess\.(?:binding|getActiveResourcesInfo|report)\b|["'](?:node:)?(?:inspector|test)["']/u,
    needs: TESTS,
  },
];

const QUESTIONS: Readonly<Partial<Record<Language, readonly Question[]>>> = {
  python: [...ANY, ...PYTHON],
  javascript: [...ANY, ...ECMA],
  typescript: [...ANY, ...ECMA],
};

/** Each kind of question once, at the first line that asks it. Empty where the contract needs the answers. */
export function surroundingsFindings(
  contract: ResolvedContract,
  files: readonly { readonly path: string; readonly text: string }[],
): Finding[] {
  const said = contractText(contract);
  const open = (QUESTIONS[contract.language] ?? []).filter(({ needs }) => !needs.test(said));
  return open.flatMap(({ about, asks }) => {
    for (const { path, text } of files) {
      const line = text.split('\n').findIndex((row) => asks.test(row)) + 1;
      if (line > 0) return [asked(about, path, line)];
    }
    return [];
  });
}

function asked(about: string, file: string, line: number): Finding {
  const text = `The code asks about ${about}, and nothing in its contract needs that`;
  return finding('surroundings', 'L0', text, { place: { file, line } });
}

/** All that a person said of the node, in one text. */
function contractText({ description, interface: face, examples, environment }: ResolvedContract): string {
  const variables = Object.keys(environment.variables).length > 0 ? 'variable' : '';
  const { exports, imports, raises, guarantees, assumptions } = face;
  return JSON.stringify([
    description,
    exports,
    imports,
    raises,
    guarantees,
    assumptions,
    examples,
    variables,
  ]);
}
