// Loaded before a command (`--import`): counts what it begins to change on disk, and kills the command at one of these points.
// A7_KILL: {at, under, log}: the point from 1 (0: none), the folders that count, and where each point is noted.
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { at, under, log } = JSON.parse(process.env.A7_KILL);
const note = fs.appendFileSync.bind(fs);
let count = 0;

function point(what) {
  count += 1;
  note(log, `${count} ${what}\n`);
  if (count === at) process.kill(process.pid, 'SIGKILL');
}

function watch(owner, name, changes) {
  const given = owner[name];
  owner[name] = function (...args) {
    if (changes(args)) point(`${name} ${args[0]}`);
    return given.apply(this, args);
  };
}

const inside = ([path]) => typeof path === 'string' && under.some((folder) => path.startsWith(`${folder}/`));
const opensToWrite = (args) => inside(args) && !['r', undefined, 0].includes(args[1]);

for (const name of [
  'rename',
  'link',
  'unlink',
  'rm',
  'mkdir',
  'writeFile',
  'appendFile',
  'copyFile',
  'cp',
  'truncate',
]) {
  watch(fs.promises, name, inside);
  watch(fs, `${name}Sync`, inside);
}
watch(fs.promises, 'open', opensToWrite);
watch(fs, 'openSync', opensToWrite);
watch(childProcess, 'spawn', ([file]) => /(?:^|\/)git$/.test(file));
syncBuiltinESMExports();
