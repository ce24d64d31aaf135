/** A TOML text as plain data. */
import { parse } from 'smol-toml';

/** Null where it cannot be read. */
export function readToml(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
