/** The layers port: cache first, then registries; one root file system or engine image for each layer (gate.md part 1). */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { layerImageTag, layerOfTag } from '../../core/layers/layer-spec.ts';
import type { ChooseVersions } from '../../core/ports/pins.ts';
import type { LayerOutcome, LayersPort } from '../../core/ports/layers.ts';
import type { SandboxPort } from '../../core/ports/sandbox.ts';
import { ImageRuntimes, type ImageFacts, type LayerLock, type LayerSpec } from '../../schemas/layer.ts';
import { writeDurably } from '../system/files.ts';
import type { Environment } from './client.ts';
import { layDebian } from './debian.ts';
import { buildDockerLayer, hasDockerLayer } from './docker-image.ts';
import { askRuntimes } from './facts.ts';
import { versionChooser } from './choose-versions.ts';
import { layGo } from './go.ts';
import { layNode } from './node.ts';
import { layRust } from './rust.ts';
import { fail, failChanged, LayerFailure } from './problem.ts';
import { layPython } from './python.ts';
import { joinRootfs } from './rootfs.ts';
import { noteUse } from './note-use.ts';
import {
  keepLockOfSpec,
  keepStored,
  layerHash,
  lockOfSpec,
  readListed,
  readStored,
  workFolder,
  type StoredLayer,
} from './store.ts';
import { countTree, normaliseTree, TreeRefused, type TreeEntry } from './tree.ts';

export interface LayersOptions {
  /** Folder of layers, for example `<cache>/layers`. */
  readonly folder: string;
  /** The image below. `rootfs` is null where bubblewrap cannot use it. */
  readonly base: { readonly tag: string; readonly rootfs: string | null };
  /** The backend that will run the image; it also tells its versions. */
  readonly sandbox: SandboxPort;
  /** How dockerode reaches the engine; null for bubblewrap. */
  readonly docker: Docker.DockerOptions | null;
  /** What the clients of registries read their settings from. */
  readonly env: Environment;
}

/** Makes the adapter; it touches nothing before it is asked. */
export function createLayers(options: LayersOptions): LayersPort {
  return new Layers(options);
}

type Wanted = Parameters<LayersPort['ensure']>[0];

class Layers implements LayersPort {
  readonly #options: LayersOptions;
  readonly #docker: Docker | null;
  readonly #ready = new Map<string, Promise<LayerOutcome>>();
  readonly #facts = new Map<string, Promise<ImageFacts>>();

  constructor(options: LayersOptions) {
    this.#options = options;
    this.#docker = options.docker === null ? null : new Docker(options.docker);
  }

  async ensure(wanted: Wanted, options: { readonly signal?: AbortSignal } = {}): Promise<LayerOutcome> {
    const key = 'lock' in wanted ? wanted.lock.hash : JSON.stringify(wanted.spec);
    const known = this.#ready.get(key);
    if (known !== undefined) return known;
    const used = noteUse(this.#options.folder, this.#docker, this.#ensure(wanted, options.signal));
    const making = used.catch((error: unknown): LayerOutcome => {
      if (error instanceof LayerFailure) return { ok: false, problem: error.problem };
      throw error;
    });
    this.#ready.set(key, making);
    // Only what was made is remembered: a registry may answer later.
    void making.then(
      (outcome) => outcome.ok || this.#ready.delete(key),
      () => this.#ready.delete(key),
    );
    return making;
  }

  readonly choose: ChooseVersions = async (wanted) => {
    const version = wanted.python.length === 0 ? '' : await this.#pythonVersion();
    const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
    return versionChooser(this.#options.env, { version, machine })(wanted);
  };

  async facts(image: string): Promise<ImageFacts> {
    const known = this.#facts.get(image) ?? this.#readFacts(image);
    this.#facts.set(image, known);
    known.catch(() => this.#facts.delete(image));
    return known;
  }

  async #ensure(wanted: Wanted, signal: AbortSignal | undefined): Promise<LayerOutcome> {
    const { folder, base } = this.#options;
    const spec = 'lock' in wanted ? wanted.lock.spec : wanted.spec;
    const given = 'lock' in wanted ? wanted.lock : null;
    const lock = given?.base === base.tag ? given : await lockOfSpec(folder, base.tag, spec);
    const built = lock === null ? null : await this.#built(lock);
    if (built !== null) return built;
    const stored = lock === null ? null : await readStored(folder, lock.hash, this.#docker === null);
    const layer = stored ?? (await this.#make(spec, lock ?? given, signal));
    const { hash } = layer.lock;
    const image = layerImageTag(hash);
    if (this.#docker !== null && !(await hasDockerLayer(this.#docker, image, hash))) {
      const files = join(layer.folder, 'files');
      await buildDockerLayer(this.#docker, {
        base: base.tag,
        tag: image,
        hash,
        files,
        entries: layer.entries,
      });
    }
    return { ok: true, image, lock: layer.lock, isFresh: stored === null, ...countTree(layer.entries) };
  }

  /** What the engine has built stays as it is: the cache's files are not read for it. */
  async #built({ hash }: LayerLock): Promise<LayerOutcome | null> {
    const image = layerImageTag(hash);
    if (this.#docker === null || !(await hasDockerLayer(this.#docker, image, hash))) return null;
    const listed = await readListed(this.#options.folder, hash);
    if (listed === null) return null;
    return { ok: true, image, lock: listed.lock, isFresh: false, ...countTree(listed.entries) };
  }

  /** Resolves, unpacks, lists, joins, and puts it all into the cache. `earlier` says which versions, on its base which bytes. */
  async #make(
    spec: LayerSpec,
    earlier: LayerLock | null,
    signal: AbortSignal | undefined,
  ): Promise<StoredLayer> {
    const { folder, base } = this.#options;
    const work = await workFolder(folder);
    try {
      const resolved = await this.#resolve(spec, work, earlier, signal);
      const entries = await listed(join(work, 'files'), join(work, 'rootfs'), base.rootfs);
      const parts = { version: 1 as const, spec, base: base.tag, packages: resolved.packages };
      const lock = { ...parts, notes: resolved.notes, hash: layerHash(parts) };
      if (earlier?.base === base.tag && earlier.hash !== lock.hash) failChanged(earlier, lock);
      for (const name of ['wheels', 'npm', 'apt', 'go', 'rust'])
        await rm(join(work, name), { recursive: true, force: true });
      await keepStored(folder, work, lock, entries);
      if (earlier === null) await keepLockOfSpec(folder, lock);
      const stored = await readStored(folder, lock.hash, this.#docker === null);
      if (stored === null)
        throw new Error(`Cannot use the cache "${folder}": a layer that was just made is damaged`);
      return stored;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async #resolve(
    spec: LayerSpec,
    work: string,
    earlier: LayerLock | null,
    signal: AbortSignal | undefined,
  ): Promise<Pick<LayerLock, 'packages' | 'notes'>> {
    const { env, base } = this.#options;
    const contextOf = (ecosystem: keyof LayerSpec) => ({
      ...{ work, files: join(work, 'files'), env, signal },
      locked: earlier?.packages.filter((each) => each.ecosystem === ecosystem) ?? null,
    });
    const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
    const version = spec.python.length === 0 ? '' : await this.#pythonVersion();
    const status = base.rootfs === null ? null : join(base.rootfs, 'var/lib/dpkg/status');
    const parts = [
      await layDebian(contextOf('debian'), spec.debian, status),
      await layPython(contextOf('python'), spec.python, { version, machine }),
      await layNode(contextOf('node'), spec.node, process.arch),
      await layGo(contextOf('go'), spec.go ?? []),
      await layRust(contextOf('rust'), spec.rust ?? []),
    ];
    return {
      packages: parts.flatMap((part) => part.packages),
      notes: parts.flatMap((part) => part.notes),
    };
  }

  async #pythonVersion(): Promise<string> {
    const { runtimes } = await this.facts(this.#options.base.tag);
    return (runtimes['python'] ?? '').split('.').slice(0, 2).join('.');
  }

  async #readFacts(image: string): Promise<ImageFacts> {
    const { folder, sandbox, base } = this.#options;
    const layered = layerOfTag(image);
    const lock = layered === null ? null : await this.#lockOf(layered);
    const status =
      base.rootfs === null
        ? ''
        : await readFile(join(base.rootfs, 'var/lib/dpkg/status'), 'utf8').catch(() => '');
    const key = createHash('sha256')
      .update(`${sandbox.backend}\n${image}\n${status}`)
      .digest('hex')
      .slice(0, 24);
    const path = join(folder, 'facts', `${key}.json`);
    const kept = ImageRuntimes.safeParse(
      await readFile(path, 'utf8')
        .then(JSON.parse)
        .catch(() => null),
    );
    const runtimes = kept.success ? kept.data : await askRuntimes(sandbox, image, `a7-facts-${randomUUID()}`);
    if (!kept.success) await writeDurably(path, JSON.stringify(runtimes));
    return { runtimes, layer: lock && { hash: lock.hash, packages: packageTexts(lock) } };
  }

  async #lockOf(name: string): Promise<LayerLock> {
    const outcomes = await Promise.all(this.#ready.values());
    const found = outcomes.find((each) => each.ok && each.image.endsWith(name));
    if (found?.ok !== true)
      throw new Error(`Cannot use the layer "${name}": it was not made by this process`);
    return found.lock;
  }
}

/** The layer's entries, and the joined root file system where bubblewrap needs one. */
async function listed(files: string, rootfs: string, base: string | null): Promise<TreeEntry[]> {
  try {
    const entries = await normaliseTree(files);
    if (base !== null) await joinRootfs(base, files, entries, rootfs);
    return entries;
  } catch (error) {
    if (!(error instanceof TreeRefused)) throw error;
    return fail(
      'refused',
      { ecosystem: null, pin: null },
      `the packages are refused: ${error.message}`,
      'Pin others',
    );
  }
}

function packageTexts({ packages }: LayerLock): string[] {
  return [...new Set(packages.map(({ name, version }) => `${name} ${version}`))].toSorted();
}
