// A commit's trailers against ledger and report: each is a copy of a fact that stands elsewhere, too.

const CHECK = 'trailers';

/** The suite is that of the intent; the ledger's head is a line that stood there when the commit was made. */
export function checkMoreTrailers(commit, event, ledger, found) {
  const suite = commit.trailers['A7-Suite']?.[0];
  if (suite !== undefined && suite !== String(event.intent?.suite))
    found.fail(CHECK, commit.id, `has the suite ${suite}, its intent ${event.intent?.suite}`);
  const head = commit.trailers['A7-Ledger']?.[0];
  const intent = ledger.lines.findLast(
    (line) => line.type === 'commit_intent' && line.data.intent.intentId === event.intentId,
  );
  if (head === undefined) {
    if (intent?.sig !== undefined)
      found.fail(CHECK, commit.id, 'lacks the trailer A7-Ledger, though its intent is signed');
    return;
  }
  const [seq, hash] = head.split(' ');
  const line = ledger.lines[Number(seq) - 1];
  if (line === undefined || line.hash !== hash)
    found.fail(CHECK, commit.id, `says that the ledger stood at ${head}, which is not in it`);
  else if (line.seq >= event.seq || line.seq < (intent?.seq ?? 0))
    found.fail(
      CHECK,
      commit.id,
      `says that the ledger stood at line ${seq}, which is not where it was committed`,
    );
}

/** What a trailer says of the report is what the report says. */
export function checkTrailers(commit, report, found) {
  const { backend, level } = report.isolation ?? {};
  for (const [name, wanted] of [
    ['A7-Tier', report.tier],
    ['A7-Isolation', `${backend}/${level}`],
  ]) {
    const said = commit.trailers[name]?.[0];
    if (said === undefined ? commit.trailers['A7-Ledger'] !== undefined : said !== wanted)
      found.fail(CHECK, commit.id, `says ${name}: ${said ?? 'nothing'}, its report says ${wanted}`);
  }
}
