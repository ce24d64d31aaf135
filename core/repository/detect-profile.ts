/** Which languages a repository is written in, from its paths alone. */
import { matchesGlob } from '../globs.ts';
import type { ProfileName } from '../../schemas/verify-profile.ts';
import { LANGUAGE_DEFAULTS, LANGUAGE_PROFILES } from './profiles.ts';

type LanguageProfile = (typeof LANGUAGE_PROFILES)[number];

/** Languages with a sign in these paths, in a fixed order. */
export function languagesIn(paths: readonly string[]): LanguageProfile[] {
  return LANGUAGE_PROFILES.filter((name) =>
    LANGUAGE_DEFAULTS[name].signs.some((sign) => paths.some((path) => matchesGlob(sign, path))),
  );
}

/** The profile of a repository; null where no language shows. */
export function detectProfile(paths: readonly string[]): ProfileName | null {
  const [first, second] = languagesIn(paths);
  if (first === undefined) return null;
  return second === undefined ? first : 'polyglot';
}

/** Languages of a profile: `polyglot` is whatever the paths show. */
export function languagesOf(profile: ProfileName, paths: readonly string[]): LanguageProfile[] {
  return profile === 'polyglot' ? languagesIn(paths) : [profile];
}
