// Decides how a sandbox backend is had: what is there, what may be installed, what is said when nothing helps. Pure.
import { AGAIN } from './again.mjs';

/**
 * Facts in, plan out.
 * facts: platform, isRoot, isDebian, docker (an engine answers), dockerd (the program exists), bubblewrap (likewise).
 * plan: `packages` to install with apt, `startEngine`, and `backend` ("docker", "bubblewrap"), or `reason` and
 * `nextStep` where no backend can be had.
 */
export function planBackend(facts) {
  if (facts.platform !== 'linux' && facts.platform !== 'darwin') return unsupported(facts.platform);
  if (facts.platform === 'darwin') {
    return facts.docker ? plan('docker') : none('start Docker Desktop or Colima');
  }
  const mayInstall = facts.isRoot && facts.isDebian;
  const bubblewrap = facts.bubblewrap || !mayInstall ? [] : ['bubblewrap'];
  if (facts.docker) return plan('docker', bubblewrap);
  if (facts.isRoot && facts.dockerd) return plan('docker', bubblewrap, true);
  if (mayInstall) return plan('docker', ['docker.io', 'iptables', ...bubblewrap], true);
  if (facts.bubblewrap) return plan('bubblewrap');
  return none(installHint(facts));
}

/** The plan where nothing may be installed or started: a person at the terminal said no. */
export function planAfterRefusal(facts) {
  return planBackend({ ...facts, isRoot: false });
}

function plan(backend, packages = [], startEngine = false) {
  return { kind: 'plan', backend, packages, startEngine };
}

function none(nextStep) {
  return {
    kind: 'none',
    reason: 'no Docker engine answers and there is no bubblewrap',
    nextStep: `${nextStep}, then "${AGAIN}"`,
  };
}

function installHint({ isDebian }) {
  if (isDebian) return 'run this once as root, or start a Docker engine, or install bubblewrap';
  return 'start a Docker engine (rootless will do) that DOCKER_HOST or the docker context names, or install bubblewrap';
}

function unsupported(platform) {
  return {
    kind: 'none',
    reason: `sandboxes need Linux or macOS, this is ${platform}`,
    nextStep: `use a Linux machine, a virtual machine or WSL 2, then "${AGAIN}"`,
  };
}
