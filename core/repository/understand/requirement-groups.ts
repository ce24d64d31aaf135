import { readRequirement, type Requirement } from './requirement.ts';

/** Names of groups that are for tests. */
export const TEST_GROUP = /^(?:tests?|testing|unit-?tests?|pytest|ci|all-tests?|test-.*|tests-.*)$/u;
const DEV_GROUP = /^(?:dev|develop|development|devel|dev-.*|default)$/u;

/** Requirements by the group that names them; a group may name others. */
export class Groups {
  readonly #lists = new Map<string, string[]>();
  readonly #asked = new Set<string>(['run']);

  add(group: string, lines: readonly unknown[]): void {
    const list = this.#lists.get(group) ?? [];
    list.push(...lines.filter((line) => typeof line === 'string'));
    this.#lists.set(group, list);
  }

  /** Somebody runs the tests with this group. */
  ask(group: string): void {
    this.#asked.add(group);
  }

  /** What tests run with: asked for by name, of groups that are called so, and of `dev` where no group is. */
  chosen(): Requirement[] {
    const names = [...this.#lists.keys()];
    const tests = names.filter((name) => TEST_GROUP.test(name) || this.#asked.has(name));
    const hasTests = tests.some((name) => name !== 'run' && (this.#lists.get(name) ?? []).length > 0);
    const dev = hasTests ? [] : names.filter((name) => DEV_GROUP.test(name));
    return this.#read(new Set([...tests, ...dev]));
  }

  all(): Requirement[] {
    return this.#read(new Set(this.#lists.keys()));
  }

  #read(names: ReadonlySet<string>): Requirement[] {
    return [...names].flatMap((name) =>
      (this.#lists.get(name) ?? []).flatMap((line) => readRequirement(line) ?? []),
    );
  }
}
