/** What judging a repository is wired with on this machine. */
import { randomBytes } from 'node:crypto';
import { documentTools } from '../../../adapters/contracts/document-tools.ts';
import { failingTestsOf } from '../../../adapters/symbols/failing-tests.ts';
import { sha256 } from '../../../adapters/system/sha256.ts';
import type { RepositoryParts } from '../../../core/ports/repository-gate.ts';
import type { Machine } from '../../machine.ts';
import { layerResolver } from './layer-resolver.ts';

/** The parts over this machine's sandbox. */
export function repositoryParts(machine: Machine): RepositoryParts {
  return {
    sandbox: machine.sandbox,
    isolation: { backend: machine.proof.backend, level: machine.proof.level },
    runners: machine.runners,
    documents: documentTools,
    failingTests: failingTestsOf,
    resolveLayer: layerResolver(machine),
    hash: sha256,
    nonce: () => randomBytes(16).toString('hex'),
    nowMs: () => performance.now(),
  };
}
