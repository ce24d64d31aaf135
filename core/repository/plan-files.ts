/** Files of the judge in a repository: never laid into a room, so that judged code cannot read what is expected of it. */
import { PROFILE_PATHS } from '../../schemas/verify-profile.ts';

/** True for `verify.yaml` and everything in `.a7`. */
export function isPlanFile(path: string): boolean {
  return PROFILE_PATHS.some((each) => each === path) || path.startsWith('.a7/');
}
