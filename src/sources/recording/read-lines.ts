import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A longer line is no record that anything could use: it is left out. */
const MOST_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * Streams the lines of a text file, unzipped where its name ends in `.gz`; empty lines and lines over 32 MiB are left out.
 * Holds one line at a time.
 * @throws the error of the file, or the reason of the signal
 */
export async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  const take = (end?: Buffer): string | undefined => {
    const whole = parts.length > 0 ? Buffer.concat(end ? [...parts, end] : parts) : end;
    const line = tooLong ? '' : (whole?.toString('utf8').trim() ?? '');
    [parts, held, tooLong] = [[], 0, false];
    return line === '' ? undefined : line;
  };
  for await (const chunk of chunksOf(path, signal)) {
    signal.throwIfAborted();
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = take(chunk.subarray(start, end));
      if (line !== undefined) yield line;
      start = end + 1;
    }
    held += chunk.length - start;
    if (held > MOST_BYTES) [parts, tooLong] = [[], true];
    // A copy: the next chunk may be read into the same memory.
    else if (start < chunk.length) parts.push(Buffer.from(chunk.subarray(start)));
  }
  const line = take();
  if (line !== undefined) yield line;
}

/**
 * The bytes of a file. Each chunk holds until the next one is asked for: all are read into the same memory, as buffers of their
 * own would lie outside of the heap until the collector finds them.
 */
async function* chunksOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  if (path.endsWith('.gz')) {
    const file = createReadStream(path);
    try {
      yield* pipeline(file, createGunzip(), () => undefined) as AsyncIterable<Buffer>;
    } finally {
      file.destroy();
    }
    return;
  }
  const file = await open(path);
  const memory = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The JSON values of a file, one a line; a line that is no JSON is left out. */
export async function* readJsonLines(path: string, signal: AbortSignal): AsyncGenerator<unknown> {
  for await (const line of readLines(path, signal)) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    yield value;
  }
}
