/** What the entry point and the command line hand to each group of commands. */
import type { Command } from 'commander';
import type { Services } from '../core/ports/services.ts';

/** What the entry point hands in: the wiring behind the commands, and the version. */
export interface CliParts {
  readonly loadServices: () => Promise<Services>;
  /** Runs set-up with these flags and gives its exit code; it is there where nothing is built yet, so that it is no service. */
  readonly setUp: (flags: readonly string[]) => Promise<number>;
  readonly version: string;
}

/** Adds a command that every command is like: it prints JSON when asked to. */
export type Add = (usage: string, description: string) => Command;

/** Tells the exit code of the command that ran. */
export type Finish = (code: number) => void;
