/** `config`: what holds in a session or outside of one, and who says so. */
import { readFile } from 'node:fs/promises';
import { readLayers } from '../../adapters/config/load.ts';
import { type ConfigReport, describeConfig } from '../../core/config/describe.ts';
import type { Result } from '../../core/ports/services.ts';
import { RUN_SETTINGS_DAMAGED, configRequest } from '../models.ts';
import { type Surroundings, findSession, placesOf } from './common.ts';

/** `dir` null: what holds in the current folder for a session that is not there yet. */
export async function config(around: Surroundings, dir: string | null): Promise<Result<ConfigReport>> {
  const found = dir === null ? null : await findSession(dir);
  if (found !== null && !found.ok) return found;
  const folder = found?.value.dir ?? process.cwd();
  const places = placesOf(around);
  const read = await configRequest(folder, places);
  const request = read ?? { sessionDir: folder, ...places, commandLine: {} };
  const { layers, messages } = await readLayers(request);
  const keyFile = layers.find((layer) => layer.keyPath !== null)?.keyPath ?? null;
  const all = read === null ? [RUN_SETTINGS_DAMAGED, ...messages] : messages;
  return { ok: true, value: describeConfig(layers, all, around.env, await holdsKey(keyFile)) };
}

async function holdsKey(path: string | null): Promise<boolean> {
  if (path === null) return false;
  const text = await readFile(path, 'utf8').catch(() => '');
  return (text.split('\n')[0] ?? '').trim() !== '';
}
