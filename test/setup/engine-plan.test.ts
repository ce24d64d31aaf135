import { describe, expect, test } from '@jest/globals';
import { planAfterRefusal, planBackend, type BackendFacts } from '../../scripts/setup/engine-plan.mjs';

const NOTHING: BackendFacts = {
  platform: 'linux',
  isRoot: false,
  isDebian: false,
  docker: false,
  dockerd: false,
  bubblewrap: false,
};

describe('planBackend()', () => {
  test('takes an engine that answers and installs nothing without rights', () => {
    expect(planBackend({ ...NOTHING, docker: true })).toEqual({
      kind: 'plan',
      backend: 'docker',
      packages: [],
      startEngine: false,
    });
  });

  test('adds bubblewrap beside a running engine as root on Debian', () => {
    expect(planBackend({ ...NOTHING, docker: true, isRoot: true, isDebian: true })).toMatchObject({
      backend: 'docker',
      packages: ['bubblewrap'],
      startEngine: false,
    });
  });

  test('starts an engine that is installed but does not answer, on any Linux as root', () => {
    expect(planBackend({ ...NOTHING, isRoot: true, dockerd: true })).toMatchObject({
      backend: 'docker',
      packages: [],
      startEngine: true,
    });
  });

  test('installs and starts an engine as root on Debian', () => {
    expect(planBackend({ ...NOTHING, isRoot: true, isDebian: true })).toMatchObject({
      backend: 'docker',
      packages: ['docker.io', 'iptables', 'bubblewrap'],
      startEngine: true,
    });
  });

  test('goes on with bubblewrap where no engine can be had', () => {
    expect(planBackend({ ...NOTHING, bubblewrap: true })).toMatchObject({
      backend: 'bubblewrap',
      packages: [],
    });
  });

  test('names the reason and the next step when an ordinary user on Debian has neither', () => {
    expect(planBackend({ ...NOTHING, isDebian: true })).toEqual({
      kind: 'none',
      reason: 'no Docker engine answers and there is no bubblewrap',
      nextStep:
        'run this once as root, or start a Docker engine, or install bubblewrap, then "npm run setup"',
    });
  });

  test('never installs on macOS, where only an engine helps', () => {
    const mac = { ...NOTHING, platform: 'darwin', isRoot: true, isDebian: true };
    expect(planBackend(mac)).toMatchObject({
      kind: 'none',
      nextStep: expect.stringContaining('Docker Desktop'),
    });
    expect(planBackend({ ...mac, docker: true })).toMatchObject({ backend: 'docker', packages: [] });
  });

  test('refuses other systems with one message', () => {
    expect(planBackend({ ...NOTHING, platform: 'win32', docker: true })).toMatchObject({
      kind: 'none',
      reason: 'sandboxes need Linux or macOS, this is win32',
    });
  });
});

describe('planAfterRefusal()', () => {
  test('keeps a running engine and installs nothing', () => {
    const facts = { ...NOTHING, isRoot: true, isDebian: true, docker: true };
    expect(planAfterRefusal(facts)).toMatchObject({ backend: 'docker', packages: [] });
  });

  test('starts nothing: without an engine that answers it is bubblewrap or a message', () => {
    const facts = { ...NOTHING, isRoot: true, isDebian: true, dockerd: true };
    expect(planAfterRefusal(facts)).toMatchObject({ kind: 'none' });
    expect(planAfterRefusal({ ...facts, bubblewrap: true })).toMatchObject({ backend: 'bubblewrap' });
  });
});
