import { createHash, randomBytes, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import {
  access,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ConsiliumError } from '../domain/errors.js';
import { frameData, frameOf } from '../domain/events/frame.js';
import type { LogPage } from './log-types.js';

/**
 * Maximum number of open positions in archived logs, and the time in ms until an unused one is
 * closed.
 */
const MOST_OPEN = 16;
const IDLE_MS = 10_000;

/** A position in an archived log: `frames` yields the frame after `position` next. */
interface Place {
  runId: string;
  position: number;
  frames: AsyncGenerator<Buffer, void>;
  timer: NodeJS.Timeout;
}

/**
 * Logs of finished runs on disk. `RUN_ID.ndjson.gz` has one line per event, with the JSON of its
 * frame; the frames are rebuilt from it byte for byte. `RUN_ID.sha256` has the SHA-256 of these
 * lines; archives of older versions have none. A file is written completely or not at all. Only
 * the user of the service may read it: logs of all tenants are in one folder.
 */
export class Archive {
  private readonly logger = new Logger(Archive.name);
  private readonly places: Place[] = [];
  /** By run: the file as it was when it was verified, and its fault, if any. */
  private readonly verified = new LRUCache<string, { file: string; fault: string | undefined }>({
    max: 1_000,
  });

  constructor(private readonly dir: string) {}

  /** Why no logs can be written; undefined if they can. Leaves nothing behind. */
  async fault(): Promise<string | undefined> {
    let made: string | undefined;
    try {
      made = await mkdir(this.dir, { recursive: true, mode: 0o700 });
      await rmdir(await mkdtemp(join(this.dir, '.trial-')));
      return undefined;
    } catch (error) {
      return `no logs can be written: ${(error as Error).message}`;
    } finally {
      // Only empty folders are removed: another process may have written a log meanwhile.
      if (made !== undefined)
        for (let at = resolve(this.dir); at.startsWith(resolve(made)); at = dirname(at))
          await rmdir(at).catch(() => undefined);
    }
  }

  async has(runId: string): Promise<boolean> {
    return access(this.path(runId)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Writes a complete log, page by page from `read`. Concurrent calls for one run write the same
   * content.
   */
  async write(runId: string, read: (after: number) => Promise<LogPage>): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const temporary = join(this.dir, `.${runId}.${randomBytes(6).toString('hex')}.tmp`);
    const digest = createHash('sha256');
    try {
      // Flushed to disk before it is renamed.
      await pipeline(
        linesOf(read, digest),
        createGzip(),
        createWriteStream(temporary, { flags: 'wx', flush: true, mode: 0o600 }),
      );
      await writeFile(`${temporary}.sha256`, `${digest.digest('hex')}\n`, {
        flag: 'wx',
        flush: true,
        mode: 0o600,
      });
      // The digest is written first, so that a log always has one.
      await rename(`${temporary}.sha256`, this.digestPath(runId));
      await rename(temporary, this.path(runId));
      const folder = await open(this.dir, 'r');
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    } catch (error) {
      await rm(temporary, { force: true });
      await rm(`${temporary}.sha256`, { force: true });
      throw error;
    }
  }

  /**
   * Reads at most `limit` frames after a sequence. Returns none if the run has no file. Sequential
   * pages are read from one open position.
   * @param lastSequence of the whole log
   * @throws ConsiliumError RUN_EXPIRED if the file is damaged
   */
  async read(
    runId: string,
    { after, limit, lastSequence }: { after: number; limit: number; lastSequence: number },
  ): Promise<Buffer[]> {
    if (!(await this.has(runId))) return [];
    await this.verify(runId, lastSequence);
    const place = this.take(runId, after) ?? {
      runId,
      position: 0,
      frames: framesOf(this.path(runId)),
      timer: setTimeout(() => undefined, 0),
    };
    const frames: Buffer[] = [];
    try {
      while (frames.length < limit) {
        const { value, done } = await place.frames.next();
        if (done) return frames;
        if (++place.position > after) frames.push(value);
      }
    } catch (cause) {
      throw damaged(cause);
    }
    this.keep(place);
    return frames;
  }

  /**
   * Verifies a file before its first use and after each change. A copy may have the size and the
   * time of modification of the file that it replaces, but not its time of change.
   */
  private async verify(runId: string, lastSequence: number): Promise<void> {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path(runId), { bigint: true });
    const file = [dev, ino, size, mtimeNs, ctimeNs].join(':');
    let known = this.verified.get(runId);
    if (known?.file !== file) {
      // The open file may be the earlier one, or half of each.
      for (const place of this.places.filter((each) => each.runId === runId)) this.drop(place);
      known = { file, fault: await this.faultOf(runId, lastSequence) };
      this.verified.set(runId, known);
      if (known.fault !== undefined)
        this.logger.error({
          msg: 'an archived log is damaged: requests for its run return 410. Restore the file from a backup',
          runId,
          file: this.path(runId),
          error: known.fault,
        });
    }
    if (known.fault !== undefined) throw damaged(known.fault);
  }

  /**
   * The fault of a file. Checks gzip's length and CRC-32, that each event is the next one of the
   * run, their number, and the digest.
   */
  private async faultOf(runId: string, lastSequence: number): Promise<string | undefined> {
    let count = 0;
    const digest = createHash('sha256');
    const expected = await this.digestOf(runId);
    try {
      for await (const line of linesIn(this.path(runId))) {
        digest.update(`${line}\n`);
        const frame = Buffer.from(frameOf(line));
        const begun = `\nid: ${count + 1}\ndata: {"run_id":"${runId}"`;
        if (!frame.toString('latin1', 0, 400).includes(begun))
          return `event ${count + 1} of this run is missing`;
        count++;
      }
    } catch (error) {
      return String(error);
    }
    if (count !== lastSequence)
      return `it has ${count} events instead of ${lastSequence} of this run`;
    return expected === undefined || expected === digest.digest('hex')
      ? undefined
      : 'its events are not those that were written: the SHA-256 differs';
  }

  /** The digest that was stored with a file; undefined if an older version wrote it. */
  private digestOf(runId: string): Promise<string | undefined> {
    return readFile(this.digestPath(runId), 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    );
  }

  private digestPath(runId: string): string {
    return join(this.dir, `${runId}.sha256`);
  }

  private path(runId: string): string {
    return join(this.dir, `${runId}.ndjson.gz`);
  }

  private take(runId: string, position: number): Place | undefined {
    const at = this.places.findIndex(
      (place) => place.runId === runId && place.position === position,
    );
    const [place] = at < 0 ? [] : this.places.splice(at, 1);
    clearTimeout(place?.timer);
    return place;
  }

  private keep(place: Place): void {
    clearTimeout(place.timer);
    place.timer = setTimeout(() => this.drop(place), IDLE_MS).unref();
    this.places.push(place);
    const oldest = this.places[0];
    if (this.places.length > MOST_OPEN && oldest) this.drop(oldest);
  }

  private drop(place: Place): void {
    const at = this.places.indexOf(place);
    if (at >= 0) this.places.splice(at, 1);
    clearTimeout(place.timer);
    void place.frames.return();
  }
}

const damaged = (cause: unknown) =>
  new ConsiliumError('RUN_EXPIRED', 'The archived log of this run is damaged', { cause });

/** @param digest gets each line */
async function* linesOf(
  read: (after: number) => Promise<LogPage>,
  digest: Hash,
): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const { frames, lastSequence } = await read(after);
    after += frames.length;
    const lines = frames.map((frame) => `${frameData(frame.toString())}\n`).join('');
    digest.update(lines);
    yield lines;
    if (after >= lastSequence) return;
  }
}

async function* framesOf(path: string): AsyncGenerator<Buffer, void> {
  for await (const line of linesIn(path)) yield Buffer.from(frameOf(line));
}

async function* linesIn(path: string): AsyncGenerator<string, void> {
  const bytes = createReadStream(path).on('error', (error) => lines.destroy(error));
  const lines = bytes.pipe(createGunzip());
  try {
    let rest = '';
    lines.setEncoding('utf8');
    for await (const chunk of lines) {
      const cut = (rest + String(chunk)).split('\n');
      rest = cut.pop() ?? '';
      yield* cut;
    }
  } finally {
    bytes.destroy();
  }
}
