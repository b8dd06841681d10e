import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A longer line is no record that anything could use: it is left out. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Streams the lines of a text file, unzipped where its name ends in `.gz`; empty lines and lines over 32 MiB are left out.
 * Holds one line at a time.
 * @throws the error of the file, or the reason of the signal
 */
export async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const file = createReadStream(path);
  const bytes = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  const take = (): string | undefined => {
    // Most lines lie in one chunk: a copy of each would leave much memory to the collector.
    const [only = Buffer.alloc(0)] = parts;
    const whole = parts.length > 1 ? Buffer.concat(parts) : only;
    const line = tooLong ? '' : whole.toString('utf8').trim();
    [parts, held, tooLong] = [[], 0, false];
    return line === '' ? undefined : line;
  };
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        parts.push(chunk.subarray(start, end));
        const line = take();
        if (line !== undefined) yield line;
        start = end + 1;
      }
      held += chunk.length - start;
      if (held > MOST_BYTES) [parts, tooLong] = [[], true];
      else if (start < chunk.length) parts.push(chunk.subarray(start));
    }
    const line = take();
    if (line !== undefined) yield line;
  } finally {
    file.destroy();
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
