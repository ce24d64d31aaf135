/** `attest`: a PASS as a signed in-toto statement, and the check of one. What the record contradicts is never signed. */
import type { KeyObject } from 'node:crypto';
import { openEnvelope, signStatement } from '../../adapters/keys/envelope.ts';
import {
  keyIdOf,
  keyPlaces,
  openPrivateKey,
  parsePrivate,
  publicKeysIn,
  readPublicKey,
} from '../../adapters/keys/key-files.ts';
import { signerOf } from '../../adapters/keys/session-keys.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { treeOfCommit } from '../../activities/shared/trees.ts';
import { permits } from '../../core/gate/report/make-report.ts';
import type { AttestCheck, Failed, Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { factsOfReport, statementText } from '../../core/record/statement.ts';
import { Statement } from '../../schemas/attestation.ts';
import type { Envelope } from '../../schemas/signature.ts';
import { type Surroundings, failed, findToRead, messageOf } from './common.ts';
import { withSession } from './open-session.ts';
import { checkRecord } from './record/check-record.ts';
import { findReport } from './reports/find-report.ts';
import { readNamedText } from '../../adapters/system/named-file.ts';
import { readFault } from '../../core/text/error-text.ts';
import { typed } from '../../core/text/typed.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** A signed statement about a commit, or the last commit of a node. `keyFile`: a key of one's own; null: the home's. */
export async function attest(
  around: Surroundings,
  dir: string,
  name: string,
  keyFile: string | null,
): Promise<Result<Envelope>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const key = await privateKey(around, keyFile).catch(messageOf);
  if (typeof key === 'string') return failed(2, key);
  const made = await withSession(found.value.dir, (session) => textOf(session, dir, name), around.env);
  if (!made.ok) return made;
  if (typeof made.value !== 'string') return made.value;
  return { ok: true, value: signStatement(made.value, signerOf(key)) };
}

/** A person's own key, or the home's. */
export async function privateKey(around: Surroundings, keyFile: string | null): Promise<KeyObject> {
  if (keyFile === null) return openPrivateKey(keyPlaces(homeFolder(around.env)));
  return parsePrivate(await readNamedText(keyFile), keyFile);
}

async function textOf(session: Session, dir: string, name: string): Promise<string | Failed> {
  const target = await findReport(session, name);
  const cannot = `Cannot attest "${name}"`;
  if (target === null || target.commit === null)
    return failed(
      2,
      `${cannot}: it is no commit of a node, and no node with one`,
      typed`a7-rt status ${dir}`,
    );
  const { report, commit } = target;
  if (permits(report) !== 'grounded')
    return failed(
      1,
      `${cannot}: its report says ${report.verdict}, only a PASS is attested`,
      typed`a7-rt report ${dir} ${name}`,
    );
  const { findings } = await checkRecord(session, null);
  const [first] = findings;
  if (first !== undefined)
    return failed(
      1,
      `${cannot}: the record contradicts itself: ${first.subject} ${first.message}`,
      typed`a7-rt ledger verify ${dir}`,
    );
  return statementText(factsOfReport(report, await treeOfCommit(session, commit.id), commit.id));
}

/** Whether a key that is believed signed the statement in a file: the only one of `key`, or those that this home knows. */
export async function attestVerify(
  around: Surroundings,
  file: string,
  key: string | null,
): Promise<Result<AttestCheck>> {
  const text = await readNamedText(file).catch((error: unknown) => ({ fault: readFault(error) }));
  if (typeof text !== 'string') return failed(2, `Cannot read "${file}": ${text.fault}`);
  const keys = believedKeys(around, key);
  if (keys === null)
    return failed(
      2,
      `Cannot check "${file}": "${key ?? ''}" is no file with an ed25519 public key, and no id that this home knows`,
    );
  const envelope = openEnvelope(strictJson(text), keys);
  if (envelope === null)
    return failed(1, `Cannot believe "${file}": it is no DSSE envelope of an in-toto statement`);
  const { signedBy, claimed } = envelope;
  if (signedBy.length === 0)
    return failed(
      1,
      `Cannot believe "${file}": no key that is known here signed these bytes; it names ${claimed.join(', ') || 'no key'}`,
      'Give the public key of who signed it with --key FILE; with the right key, the statement was changed',
    );
  const statement = Statement.safeParse(strictJson(envelope.text));
  if (!statement.success)
    return failed(1, `Cannot believe "${file}": its payload is no statement about a test result`);
  const { subject, predicate } = statement.data;
  if (predicate.result !== 'PASSED') return failed(1, `"${file}" is signed and says ${predicate.result}`);
  return {
    ok: true,
    value: {
      signedBy,
      result: predicate.result,
      subjects: subject.map(({ name, digest }) => ({ name: name ?? '', digest })),
      configuration: predicate.configuration.map(({ name, digest, uri, annotations }) => ({
        name,
        value: Object.values(digest ?? {}).at(0) ?? uri ?? '',
        annotations: annotations ?? {},
      })),
      tests: predicate.passedTests?.length ?? 0,
    },
  };
}

/** By id; null where what was asked for is not there. */
function believedKeys(around: Surroundings, key: string | null): ReadonlyMap<string, KeyObject> | null {
  const places = keyPlaces(homeFolder(around.env));
  const known = new Map([...publicKeysIn(places.trusted), ...publicKeysIn(places.own)]);
  if (key === null) return known;
  const named = known.get(key) ?? readPublicKey(key);
  return named === null ? null : new Map([[keyIdOf(named), named]]);
}
