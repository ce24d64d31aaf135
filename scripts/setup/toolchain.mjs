// find-docker.mjs, from the sources in a checkout and from dist/ where only the built program is installed.
import { existsSync } from 'node:fs';

const places = ['../../adapters/toolchain/find-docker.mjs', '../../dist/adapters/toolchain/find-docker.mjs'];
const place = places.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));

export const { describeDocker, dockerOptions, findDocker, pingDocker } = await import(place.href);
