/** What a cargo command needs beside the room's cargo: another release channel, or a program that cargo only starts. */
import { ofOtherRust } from './actions.ts';

/** `cargo miri`, `cargo nextest`: not cargo's own; any other name may be an alias of the tree. */
const PLUGINS =
  /^(?:about|apk|audit|bloat|careful|codspeed|component|criterion|deny|docs-rs|expand|fuzz|geiger|hack|insta|kani|lambda|llvm-cov|machete|make|minimal-versions|miri|msrv|mutants|ndk|nextest|outdated|public-api|rdme|readme|release|semver-checks|sort|spellcheck|tarpaulin|udeps|vet|wasi|zigbuild)$/u;

/** Why the room cannot run it; null where it can, or another program is meant. */
export function cargoLacks(command: string): string | null {
  const [, chosen] = /^rustup\s.*\b(nightly|beta)\b/u.exec(command) ?? [];
  if (chosen !== undefined) return ofOtherRust(chosen);
  const [, channel, name = ''] = /^cargo\s+(?:\+(\S+)\s+)?(?:-\S+\s+)*(\S+)/u.exec(command) ?? [];
  if (channel !== undefined && !OWN_CHANNEL.test(channel)) return ofOtherRust(channel);
  return PLUGINS.test(name)
    ? `it needs cargo-${name}, which the clean room does not have; write the check with its own command, or leave it to the CI service`
    : null;
}

const OWN_CHANNEL = /^(?:stable|[\d.]+)$/u;

/** Debian's cargo is one toolchain and knows no name of it. */
export function withoutToolchain(script: string): string {
  return script.replaceAll(/(^|[;&|(\s])cargo \+(?:stable|[\d.]+)(?=\s)/gu, '$1cargo');
}
