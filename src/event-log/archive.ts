import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ConsiliumError } from '../domain/errors.js';
import { frameData, frameOf } from '../domain/events/frame.js';
import type { Page } from './log-types.js';

/** Positions in archived logs that are kept open for whoever reads on from there. */
const MOST_OPEN = 16;
/** How long. */
const IDLE_MS = 10_000;

/** Where a reader of an archived log stands: `frames` gives the one after `position` next. */
interface Place {
  runId: string;
  position: number;
  frames: AsyncGenerator<Buffer, void>;
  timer: NodeJS.Timeout;
}

/**
 * Logs of finished runs on disk: `RUN_ID.ndjson.gz`, a line for each event with the JSON of its frame, from which the frame is
 * made again byte by byte. A file is there as a whole or not at all.
 */
export class Archive {
  private readonly places: Place[] = [];

  constructor(private readonly dir: string) {}

  async has(runId: string): Promise<boolean> {
    return access(this.path(runId)).then(
      () => true,
      () => false,
    );
  }

  /** Writes a log, page by page from `read`, until its end. Where two do so at once, both write the same. */
  async write(runId: string, read: (after: number) => Promise<Page>): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    const temporary = join(this.dir, `.${runId}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      // Flushed to the disk before it gets its name.
      await pipeline(
        linesOf(read),
        createGzip(),
        createWriteStream(temporary, { flags: 'wx', flush: true }),
      );
      await rename(temporary, this.path(runId));
      const folder = await open(this.dir, 'r');
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /**
   * At most `limit` frames after a sequence; none where there is no such file. Reading on from there costs no second look at
   * what was before.
   * @throws ConsiliumError RUN_EXPIRED when the file is broken
   */
  async read(runId: string, after: number, limit: number): Promise<Buffer[]> {
    if (!(await this.has(runId))) return [];
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
      throw new ConsiliumError('RUN_EXPIRED', 'The archived log of this run cannot be read', {
        cause,
      });
    }
    this.keep(place);
    return frames;
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

async function* linesOf(read: (after: number) => Promise<Page>): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const { frames, lastSequence } = await read(after);
    after += frames.length;
    yield frames.map((frame) => `${frameData(frame.toString())}\n`).join('');
    if (after >= lastSequence) return;
  }
}

async function* framesOf(path: string): AsyncGenerator<Buffer, void> {
  const bytes = createReadStream(path).on('error', (error) => lines.destroy(error));
  const lines = bytes.pipe(createGunzip());
  try {
    let rest = '';
    lines.setEncoding('utf8');
    for await (const chunk of lines) {
      const cut = (rest + String(chunk)).split('\n');
      rest = cut.pop() ?? '';
      for (const line of cut) yield Buffer.from(frameOf(line));
    }
  } finally {
    bytes.destroy();
  }
}
