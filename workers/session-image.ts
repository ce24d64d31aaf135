/** The image that judges a session: the plain one, or the layer that its seed resolved on top of it (gate.md part 1). */
import type { Session } from '../core/ports/session.ts';
import type { LayerLock } from '../schemas/layer.ts';
import { type Machine, MachineLacks } from './machine.ts';

/** Image tag for the session's rooms, ready to be used. @throws {MachineLacks} when the layer cannot be had now */
export async function sessionImage(
  machine: Pick<Machine, 'layers' | 'image'>,
  session: Pick<Session, 'book'>,
): Promise<string> {
  return imageOfLock(machine, (await session.book()).layer);
}

/** The same for a lock; null is the plain image. @throws {MachineLacks} */
export async function imageOfLock(
  { layers, image }: Pick<Machine, 'layers' | 'image'>,
  lock: LayerLock | null,
): Promise<string> {
  if (lock === null) return image;
  const outcome = await layers.ensure({ lock });
  if (outcome.ok) return outcome.image;
  throw new MachineLacks(`${outcome.problem.message}. ${outcome.problem.suggestion}`);
}
