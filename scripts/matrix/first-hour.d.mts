// Types of first-hour.mjs.
import type { ModelScriptInput } from '../../schemas/model-script.ts';

export function firstHourCommands(): readonly string[];
export function writeOwnNode(sessionDir: string): void;
export const HONEST_SCRIPT: ModelScriptInput;
