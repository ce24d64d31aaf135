// The few calls of the Docker Engine API that set-up needs, over Node's http: no client program has to be installed.
import { createReadStream, createWriteStream } from 'node:fs';
import http from 'node:http';
import { pipeline } from 'node:stream/promises';
import { dockerOptions } from './toolchain.mjs';

const PULL_TIMEOUT_MS = 3 * 60_000;
const LONG_TIMEOUT_MS = 15 * 60_000;
const SHORT_TIMEOUT_MS = 10_000;

/** {id, layers} of a local image, or null if the engine does not hold it. */
export async function inspectImage(docker, name) {
  const answer = await call(docker, { path: `/images/${name}/json` });
  if (answer.status === 404) return null;
  const { Id, RootFS } = JSON.parse(expectOk(answer));
  return { id: Id, layers: RootFS.Layers };
}

/** Pulls an image; null on success, else the reason. */
export async function pullImage(docker, name) {
  const path = `/images/create?${new URLSearchParams({ fromImage: name })}`;
  try {
    return streamError(await call(docker, { method: 'POST', path, timeoutMs: PULL_TIMEOUT_MS }));
  } catch (error) {
    return error.message;
  }
}

/** Builds from a context tar with the engine's classic builder. @throws {Error} with the builder's own message */
export async function buildImage(docker, { contextTar, tag, baseImage }) {
  const buildargs = JSON.stringify({ BASE_IMAGE: baseImage });
  const query = new URLSearchParams({ t: tag, rm: 'true', forcerm: 'true', buildargs });
  await upload(docker, `/build?${query}`, contextTar);
}

/** Makes an image of one layer from a root file system. `changes` are Dockerfile lines. */
export async function importImage(docker, { tar, repository, tag, changes }) {
  const query = new URLSearchParams({ fromSrc: '-', repo: repository, tag });
  for (const change of changes) query.append('changes', change);
  await upload(docker, `/images/create?${query}`, tar);
}

/** Writes an image's root file system to a tar file, by way of a container that never starts. */
export async function exportRootfs(docker, image, tar) {
  const body = JSON.stringify({ Image: image, Cmd: ['true'], Labels: { 'a7-rt.setup': '1' } });
  const created = await call(docker, { method: 'POST', path: '/containers/create', body });
  const { Id } = JSON.parse(expectOk(created));
  try {
    const response = await send(docker, { path: `/containers/${Id}/export`, timeoutMs: LONG_TIMEOUT_MS });
    await pipeline(response, createWriteStream(tar));
  } finally {
    await call(docker, { method: 'DELETE', path: `/containers/${Id}?force=1&v=1` });
  }
}

async function upload(docker, path, file) {
  const request = { method: 'POST', path, file, type: 'application/x-tar', timeoutMs: LONG_TIMEOUT_MS };
  const reason = streamError(await call(docker, request));
  if (reason) throw new Error(reason);
}

/** Pull, build and import report failures inside a stream that itself ends well. */
function streamError({ status, text }) {
  const messages = text.split(/\r?\n/).filter(Boolean).map(parseLine);
  const failed = messages.find((message) => message.error ?? message.errorDetail);
  if (failed) return failed.error ?? failed.errorDetail.message;
  return status >= 300 ? (messages[0]?.message ?? `status ${status}`) : null;
}

function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function expectOk({ status, text }) {
  if (status >= 300) throw new Error(`The Docker engine refused: ${text.trim() || `status ${status}`}`);
  return text;
}

async function call(docker, options) {
  const response = await send(docker, options);
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') };
}

function send(
  docker,
  { method = 'GET', path, body, file, type = 'application/json', timeoutMs = SHORT_TIMEOUT_MS },
) {
  return new Promise((resolve, reject) => {
    const headers = body || file ? { 'Content-Type': type } : {};
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { ...dockerOptions(docker), protocol: 'http:', method, path, headers, signal };
    const request = http.request(options, resolve);
    request.on('error', reject);
    if (!file) return request.end(body);
    createReadStream(file).on('error', reject).pipe(request);
  });
}
