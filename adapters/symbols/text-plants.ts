/** A failure at the start of each test of Go and Rust: their runners tell whether a command failed, and that is all that is asked. */
import type { Dice } from '../../core/ports/expectations.ts';
import { type Plant, twoNumbers } from './plant.ts';

const GO = /^func (?<name>Test\w*)\((?<handle>[a-z]\w*) \*testing\.T\) \{/gmu;
const RUST =
  /#\[(?:\w+::)*test\](?:\s*#\[[^\]\n]*\])*\s*(?:pub )?(?:async )?fn (?<name>\w+)\(\)(?: -> [^{;]+)? \{/gu;

export function goPlants(text: string, dice: Dice): Plant[] {
  return plantsAt(text, GO, dice, (one, other, handle) =>
    one === other ? ` _ = ${one};` : ` ${handle}.Fatal("${one}");`,
  );
}

export function rustPlants(text: string, dice: Dice): Plant[] {
  return plantsAt(text, RUST, dice, (one, other) => ` assert_eq!(${one}, ${other});`);
}

function plantsAt(
  text: string,
  pattern: RegExp,
  dice: Dice,
  form: (one: string, other: string, handle: string) => string,
): Plant[] {
  return [...text.matchAll(pattern)].map((match) => {
    const at = match.index + match[0].length;
    const [one, other] = twoNumbers(dice);
    const handle = match.groups?.['handle'] ?? '';
    const edit = (second: string): Plant['plant'] => ({ from: at, to: at, by: form(one, second, handle) });
    const name = match.groups?.['name'] ?? '';
    return { nesting: [], name, plant: edit(other), neutral: edit(one), isPlain: true };
  });
}
