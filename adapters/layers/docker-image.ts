/** Base and layer as one image of the Docker engine: built from a tar stream, without network. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { pack, type Pack } from 'tar-stream';
import type { TreeEntry } from './tree.ts';

export interface DockerLayer {
  readonly base: string;
  readonly tag: string;
  /** The layer's hash, kept as a label: a tag alone proves nothing. */
  readonly hash: string;
  readonly files: string;
  readonly entries: readonly TreeEntry[];
}

const LABEL = 'a7-rt.layer';
/** Every file has it: the same layer gives the same bytes. */
const MTIME = new Date(1_700_000_000_000);

/** Whether the engine has the image of that layer. */
export async function hasDockerLayer(docker: Docker, tag: string, hash: string): Promise<boolean> {
  try {
    const info = await docker.getImage(tag).inspect();
    const labels = info.Config.Labels as Readonly<Record<string, string>> | null;
    return labels?.[LABEL] === hash;
  } catch (error) {
    if ((error as { statusCode?: unknown }).statusCode === 404) return false;
    throw error;
  }
}

/** Removes an image that the engine has; one that a container still uses stays. */
export async function removeDockerLayer(docker: Docker, tag: string): Promise<void> {
  await docker
    .getImage(tag)
    .remove()
    .catch(() => undefined);
}

/** Builds the image. @throws with the engine's message, which comes in the stream and not as a rejection */
export async function buildDockerLayer(docker: Docker, layer: DockerLayer): Promise<void> {
  const context = pack();
  const sending = writeContext(context, layer);
  sending.catch((error: unknown) => context.destroy(error as Error));
  const stream = await docker.buildImage(context.pipe(new PassThrough()), {
    t: layer.tag,
    networkmode: 'none',
    rm: true,
    forcerm: true,
    labels: { [LABEL]: layer.hash },
  });
  await sending;
  const output = await new Promise<readonly { readonly error?: string }[]>((resolve, reject) => {
    docker.modem.followProgress(stream, (error, lines: { error?: string }[]) => {
      if (error === null) resolve(lines);
      else reject(error);
    });
  });
  const failed = output.find((line) => line.error !== undefined);
  if (failed !== undefined) throw new Error(`Cannot build the image of a layer: ${failed.error ?? ''}`);
}

/** `files/` goes in as a folder: only what is below it lands in the image. */
async function writeContext(context: Pack, { base, files, entries }: DockerLayer): Promise<void> {
  context.entry({ name: 'Dockerfile' }, `FROM ${base}\nCOPY files/ /\n`);
  context.entry({ name: 'files', type: 'directory', mode: 0o755, mtime: MTIME });
  for (const entry of entries) {
    const head = { name: `files/${entry.path}`, mtime: MTIME, uid: 0, gid: 0 };
    if (entry.type === 'folder') context.entry({ ...head, type: 'directory', mode: 0o755 });
    else if (entry.type === 'link') context.entry({ ...head, type: 'symlink', linkname: entry.target });
    else {
      const mode = entry.executable ? 0o755 : 0o644;
      const sink = context.entry({ ...head, type: 'file', mode, size: entry.bytes });
      await pipeline(createReadStream(join(files, entry.path)), sink);
    }
  }
  context.finalize();
}
