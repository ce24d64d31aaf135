// How a person runs set-up again: by npm in a checkout, by the program itself where only the package is installed.
import { existsSync } from 'node:fs';

export const AGAIN = existsSync(new URL('../../tsconfig.json', import.meta.url))
  ? 'npm run setup'
  : 'a7-rt setup';
