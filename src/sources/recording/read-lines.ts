import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A longer line is not a usable record: it is omitted. */
const MOST_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Streams the lines of a text file as {@link numberedLines}, without their numbers. */
export async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { text } of numberedLines(path, signal)) if (text !== undefined) yield text;
}

/** A line of a file, from 1 on. Of one that is too long there is no text. */
interface NumberedLine {
  number: number;
  text: string | undefined;
}

/**
 * Streams the lines of a text file that are not empty, unzipped where its name ends in `.gz`. Holds
 * one line at a time.
 * @throws an error that names the file, or the reason of the signal
 */
export async function* numberedLines(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<NumberedLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  const take = (end?: Buffer): NumberedLine | undefined => {
    number++;
    const whole = parts.length > 0 ? Buffer.concat(end ? [...parts, end] : parts) : end;
    const text = tooLong ? undefined : (whole?.toString('utf8').trim() ?? '');
    [parts, held, tooLong] = [[], 0, false];
    return text === '' ? undefined : { number, text };
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
 * The bytes of a file. Each chunk is valid until the next one is requested: all are read into the
 * same memory, since separate buffers would stay outside of the heap until they are collected.
 */
async function* chunksOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  if (path.endsWith('.gz')) {
    const file = createReadStream(path);
    try {
      yield* pipeline(file, createGunzip(), () => undefined) as AsyncIterable<Buffer>;
    } catch (cause) {
      // zlib's error for a damaged file does not name the file.
      throw new Error(`${nameOfFile(path)}: ${(cause as Error).message}`, { cause });
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

/** A file of a bundle with its folder: `logs/app.ndjson.gz`. */
export const nameOfFile = (path: string): string => join(basename(dirname(path)), basename(path));

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
