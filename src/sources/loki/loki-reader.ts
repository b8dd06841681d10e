import { z } from 'zod';
import type { LogRecord, TimeWindow } from '../../domain/telemetry/records.js';
import { arrayToFirstFault, textsObject } from '../../lib/first-fault.js';
import { escapePattern } from '../../lib/text.js';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';
import type { LinesQuestion, LogServerReader } from '../live/served-logs.js';

/** Maximum bytes of log that one query may make the server read, by its index. */
const MOST_READ = 2 ** 30;
/** Characters of a line; the server cuts it. */
const MOST_LINE = 4_096;
/** Maximum lines of a query, which a server may lower. */
const MOST_LINES = 20_000;
const TELLING =
  '(?i)(error|exception|fatal|panic|warn|fail|timed? ?out|refused|denied|unavailable|critical)';

const answer = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('streams'),
    result: z
      .array(z.unknown())
      .max(5_000)
      .pipe(
        arrayToFirstFault(
          z.object({
            stream: textsObject,
            values: z.array(z.unknown()),
          }),
          1,
        ),
      ),
  }),
});
const line = z.tuple([z.string().regex(/^\d{1,20}$/), z.string()], z.unknown());
const stats = z.object({ bytes: z.number().nonnegative() });

/**
 * Reads logs from Loki (`/loki/api/v1/query_range`,
 * https://grafana.com/docs/loki/latest/reference/loki-http-api/), after its index has returned the
 * size.
 */
export const lokiReader: LogServerReader = {
  async read(server, question, signal) {
    const { selector, window, most } = question;
    const query = new URLSearchParams({
      query: `${selector}${filterOf(question)} | line_format \`{{ __line__ | trunc ${MOST_LINE} }}\``,
      ...timesOf(window),
      limit: String(most),
      direction: 'backward',
    });
    const path = `/loki/api/v1/query_range?${query.toString()}`;
    const parsed = answer.safeParse(await askSource(server, { path }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer has no streams of the Loki HTTP API');
    return parsed.data.data.result
      .flatMap(({ stream, values }) => values.map((value) => ({ stream, value })))
      .slice(0, MOST_LINES)
      .map(({ stream, value }) => {
        const one = line.safeParse(value);
        // The first fault ends the check: all of them would be reported one by one.
        if (!one.success)
          throw new SourceError('failed', 'the answer has no streams of the Loki HTTP API');
        const [at, body] = one.data;
        return { at: msOf(at), body, ...factsOf(stream), labels: stream };
      })
      .filter(({ at }) => at >= window.from && at <= window.to)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, most);
  },
  admit,
};

async function admit(
  server: SourceServer,
  { selector, window }: Pick<LinesQuestion, 'selector' | 'window'>,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ query: selector, ...timesOf(window) });
  const path = `/loki/api/v1/index/stats?${query.toString()}`;
  const value = await askSource(server, { path }, signal).catch((error: unknown) => {
    // Loki before 2.8 has no such endpoint.
    if (error instanceof SourceError && error.status === 404) return { bytes: 0 };
    throw error;
  });
  const { bytes = 0 } = stats.safeParse(value).data ?? {};
  if (bytes <= MOST_READ) return;
  const much = `${(bytes / MOST_READ).toFixed(1)} GiB`;
  throw new SourceError(
    'failed',
    `its selector has ${much} of logs in this time: narrow it, or the time`,
  );
}

const filterOf = ({ text, lines }: Pick<LinesQuestion, 'text' | 'lines'>): string => {
  const found = text === undefined ? '' : ` |~ ${JSON.stringify(`(?i)${escapePattern(text)}`)}`;
  if (lines === undefined) return found;
  return `${found} ${lines === 'telling' ? '|~' : '!~'} ${JSON.stringify(TELLING)}`;
};

/** Nanoseconds; the end is not a part of the window in Loki. */
const timesOf = ({ from, to }: TimeWindow) => ({
  start: `${BigInt(Math.floor(from * 1_000)) * 1_000n}`,
  end: `${(BigInt(Math.floor(to * 1_000)) + 1n) * 1_000n}`,
});

const msOf = (ns: string): number => Number(BigInt(ns) / 1_000n) / 1_000;

function factsOf(
  labels: Record<string, string>,
): Pick<LogRecord, 'severity' | 'traceId' | 'spanId'> {
  const level = labels['level'] ?? labels['severity'] ?? labels['detected_level'] ?? '';
  const traceId = labels['trace_id'] ?? labels['traceID'] ?? labels['traceId'];
  const spanId = labels['span_id'] ?? labels['spanID'] ?? labels['spanId'];
  return {
    severity: level === 'unknown' ? '' : level,
    ...(traceId !== undefined && { traceId }),
    ...(spanId !== undefined && { spanId }),
  };
}
