/** `stage`, `stage-reset`, `replace`: a person changes what was built. */
import type { ExitCode, StageView } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { statusText, table } from '../render/text.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface ResetOptions extends JsonOption {
  readonly reason: string;
}

export interface ReplaceOptions extends JsonOption {
  readonly file: string;
}

/** Every stage, or one with its nodes. */
export async function stage(
  parts: CliParts,
  dir: string,
  stageId: string | null,
  options: JsonOption,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  const none = typed`No stages yet: a7-rt seed ${dir} reads them from contracts.yaml`;
  return report(await services.stages(dir, stageId), options, (views) =>
    table(['STAGE', 'KIND', 'STATUS', 'NODES', 'SEALED', 'BUILT ON IT'], views.map(rowOf), none),
  );
}

function rowOf({ id, kind, status, nodes, sealedAt, builtOnIt }: StageView): string[] {
  const grounded = nodes.filter((node) => node.status === 'grounded').length;
  const share = `${String(grounded)} of ${String(nodes.length)} grounded`;
  return [id, kind, statusText(status), share, sealedAt?.slice(0, 19) ?? '', builtOnIt.join(', ')];
}

/** Opens a sealed stage again. */
export async function stageReset(
  parts: CliParts,
  dir: string,
  stageId: string,
  options: ResetOptions,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.stageReset(dir, stageId, options.reason), options, ({ stages }) =>
    stages.length === 0
      ? `Nothing to do: stage ${stageId} is not sealed`
      : [
          `Open again: ${stages.join(', ')}. What is grounded stays so until its contract or its files change.`,
          `${colors.dim('next')}${typed`  edit ${dir}/contracts.yaml, then a7-rt seed ${dir}; or a7-rt run ${dir} seals it again`}`,
        ].join('\n'),
  );
}

export interface RestoreOptions extends JsonOption {
  readonly cut?: boolean;
}

/** Makes a damaged session whole. */
export async function restore(parts: CliParts, dir: string, options: RestoreOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.restore(dir, options.cut === true), options, (found) =>
    [
      table(
        ['PART', 'STATE', 'DETAIL'],
        found.map(({ part, state, detail }) => [part, state, detail]),
        'Nothing to do: every part of the session is there.',
      ),
      `${colors.dim('next')}${typed`  a7-rt status ${dir}, then a7-rt run ${dir}`}`,
    ].join('\n'),
  );
}

/** A person's files for a node. */
export async function replace(
  parts: CliParts,
  dir: string,
  nodeId: string,
  options: ReplaceOptions,
): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(
    await services.replace(dir, nodeId, options.file),
    options,
    ({ isSame, files, dependents }) => {
      if (isSame) return `Nothing to do: ${nodeId} is committed with this content`;
      const also = dependents.length === 0 ? '' : `, and judges ${dependents.join(', ')} again`;
      return [
        `The gate says PASS. ${counted(files.length, 'file')} of yours ${files.length === 1 ? 'is' : 'are'} the work of ${nodeId} now.`,
        `${colors.dim('next')}  ${typed`a7-rt run ${dir} commits it`}${also}`,
      ].join('\n');
    },
  );
}
