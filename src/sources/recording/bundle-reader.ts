import { basename } from 'node:path';
import { notRecorded, type Coverage, type SourceAnswer } from '../ports.js';
import type { DamagedLines } from '../source-set.js';
import type { nodeNames } from '../node-names.js';
import type { Bundle, Folder } from './bundle.js';
import { SourceError } from '../http/source-error.js';
import { UnreadNodes } from '../unread-nodes.js';
import type { RecordedGap } from './manifest.js';
import { nameOfFile, numberedLines } from './read-lines.js';

/** The common state of recorded sources: files, nodes, and the visible time. */
export class BundleReader {
  constructor(
    private readonly bundle: Bundle,
    readonly nodeOf: ReturnType<typeof nodeNames>,
  ) {}

  private readonly damaged = new Map<string, DamagedLines>();

  /** Damaged lines, of the files that were read to their end. */
  leftOut(): DamagedLines[] {
    return [...this.damaged.values()];
  }

  /**
   * The records of a file with one JSON value per line. A line that is not JSON, or not in a form
   * that its folder allows, is omitted and noted. A batch may be empty.
   */
  async *records<Item>(
    { folder, path }: { folder: Folder; path: string },
    signal: AbortSignal,
    parse: (value: unknown) => Item[],
  ): AsyncGenerator<Item> {
    let kept = 0;
    let lines = 0;
    let first = 0;
    for await (const { number, text } of numberedLines(path, signal)) {
      const items = text === undefined ? undefined : itemsIn(text, parse);
      if (items) {
        kept++;
        yield* items;
      } else if (lines++ === 0) first = number;
    }
    if (lines > 0) this.leaveOut({ folder, path }, { lines, first, isWhole: kept === 0 });
  }

  leaveOut(
    { folder, path }: { folder: Folder; path: string },
    damage: Pick<DamagedLines, 'lines' | 'first' | 'isWhole'>,
  ): void {
    this.damaged.set(path, { telemetry: folder, file: nameOfFile(path), ...damage });
  }

  files(folder: Folder): readonly string[] | undefined {
    return this.bundle.files[folder];
  }

  coverage(folder: Folder): Coverage {
    const said = this.bundle.manifest.coverage;
    return folder === 'status' ? 'complete' : (said[folder] ?? 'sampled');
  }

  isVisible(at: number): boolean {
    const { now, baseline } = this.bundle.frame;
    return at <= now || (baseline !== undefined && at >= baseline.from && at <= baseline.to);
  }

  /** An answer from the selected files of a folder, or that none were recorded. */
  answer<Item>(
    folder: Folder,
    what: string,
    read: (files: readonly string[]) => AsyncIterable<Item>,
    wanted: (name: string) => boolean = () => true,
  ): SourceAnswer<Item> {
    const files = this.files(folder)?.filter((path) => wanted(basename(path)));
    if (files === undefined || files.length === 0) return notRecorded(what);
    return { kind: 'records', coverage: this.coverage(folder), records: read(files) };
  }

  /**
   * The same; nodes that could not be read when the bundle was captured cannot be read here either.
   */
  answerOfNodes<Item>(
    folder: RecordedGap['telemetry'],
    asked: string | undefined,
    read: (files: readonly string[]) => AsyncIterable<Item>,
    wanted?: (name: string) => boolean,
  ): SourceAnswer<Item> {
    const gaps = this.bundle.manifest.unread.filter(
      ({ telemetry, node }) => telemetry === folder && (asked === undefined || asked === node),
    );
    const answer = this.answer(folder, folder, read, wanted);
    if (gaps.length === 0) return answer;
    const coverage = this.coverage(folder);
    return { kind: 'records', coverage, records: withGaps(answer, { gaps, asked }) };
  }
}

/** Undefined of a line that is damaged. */
function itemsIn<Item>(line: string, parse: (value: unknown) => Item[]): Item[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const items = parse(value);
  return items.length > 0 || EMPTY_BATCH.test(line) ? items : undefined;
}

const EMPTY_BATCH = /\[\s*\]/;

async function* withGaps<Item>(
  answer: SourceAnswer<Item>,
  { gaps, asked }: { gaps: readonly RecordedGap[]; asked: string | undefined },
): AsyncGenerator<Item> {
  if (answer.kind === 'records') yield* answer.records;
  const unread = new UnreadNodes();
  for (const { node, reason, refused } of gaps)
    unread.add(node, new SourceError(refused ? 'refused' : 'failed', reason));
  unread.throwIfAny(asked);
}
