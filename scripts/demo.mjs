// Builds the sample project end to end: `init`, `seed`, `run`, as anybody would, with a scripted model by default.
// Nothing of the product knows of this program. Node builtins only; the product is reached through its command line.
import { build, buildWithKill } from './demo/build.mjs';
import { createCommands, shownPath } from './demo/commands.mjs';
import { claimFolders } from './demo/folders.mjs';
import { openModel } from './demo/model-endpoint.mjs';
import { readOptions, SAMPLE_DIR, USAGE } from './demo/options.mjs';
import { demonstrateOrder } from './demo/order.mjs';
import { prepareSession } from './demo/session.mjs';
import { createStops } from './demo/stops.mjs';
import { judgeResult, tell, whereToLook } from './demo/story.mjs';

process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args, env) {
  const options = readOptions(args, env);
  if (options.kind === 'help' || options.kind === 'wrong') {
    const stream = options.kind === 'help' ? process.stdout : process.stderr;
    stream.write(options.kind === 'help' ? USAGE : `${options.message}\n${USAGE}`);
    return options.kind === 'help' ? 0 : 2;
  }
  const stops = createStops();
  try {
    return options.order
      ? await demonstrateOrder(options, env, stops)
      : await demonstrate(options, env, stops);
  } catch (error) {
    process.stderr.write(`\nThe demo ended early: ${error.message}\n`);
    return stops.wasAsked() ? 130 : 1;
  } finally {
    await stops.all();
  }
}

async function demonstrate(options, env, stops) {
  const shown = shownPath(options.dir);
  await claimFolders(options, env);
  say(`Building ${shownPath(SAMPLE_DIR)} in ${shown}`);
  const model = await openModel(options, env, stops);
  for (const line of model.lines) say(line);
  const commands = createCommands({ env: model.env, home: options.home, stops });
  // The server of this home is the demo's own: a terminal keeps it for its pages, anything else does not.
  if (!options.keep) stops.add('Temporal server', () => commands.quiet(['down']));
  await prepareSession(commands, options, model);
  const run = { commands, dir: options.dir, home: options.home, args: model.runArgs(options), model };
  const exitCode = await (options.kill ? buildWithKill(run) : build(run));
  if (stops.wasAsked()) throw new Error('it was stopped by a signal');
  const result = await judgeResult(commands, options.dir, exitCode, model);
  for (const line of await tell(options.dir, result)) say(line);
  for (const line of whereToLook(options, shown, result)) say(line);
  return result.problems.length === 0 ? 0 : 1;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
