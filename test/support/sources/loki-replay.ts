import type { LogRecord } from '../../../src/domain/telemetry/records.js';
import { startReplay, type AskedOf, type SourceReplay } from './source-replay.js';

/** `{service="shop"}`, with filters by regular expressions, and the cut of the lines. */
const QUERY = /^\{service="(\w+)"\}((?: (?:\|~|!~) "(?:[^"\\]|\\.)*")*) \| line_format `.*`$/;

/**
 * A server that answers `query_range` of Loki's HTTP API for streams that a label `service`
 * selects, from records in memory, and `index/stats` with the bytes of their lines.
 */
export const startLokiReplay = (records: readonly LogRecord[]): Promise<SourceReplay> =>
  startReplay(({ url }: AskedOf) => {
    if (url.pathname === '/loki/api/v1/index/stats')
      return { bytes: records.reduce((sum, { body }) => sum + body.length, 0) };
    if (url.pathname === '/loki/api/v1/labels') return { status: 'success', data: ['service'] };
    if (url.pathname !== '/loki/api/v1/query_range') return undefined;
    const given = url.searchParams;
    const [, service, filters = ''] = QUERY.exec(given.get('query') ?? '') ?? [];
    const [start, end] = ['start', 'end'].map((name) => Number(given.get(name)) / 1e6);
    const fits = [...filters.matchAll(/ (\|~|!~) ("(?:[^"\\]|\\.)*")/g)].map(
      ([, operator, text = '']) => {
        const pattern = new RegExp((JSON.parse(text) as string).replace('(?i)', ''), 'i');
        return (body: string) => pattern.test(body) === (operator === '|~');
      },
    );
    const found = records
      .filter(({ labels }) => labels['service'] === service)
      .filter(({ at }) => at >= (start ?? 0) && at < (end ?? 0))
      .filter(({ body }) => fits.every((fit) => fit(body)))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, Number(given.get('limit')));
    // A stream for each line: structured metadata makes streams of their own.
    const result = found.map(({ at, body, labels, severity, traceId, spanId }) => ({
      stream: {
        ...labels,
        detected_level: severity,
        ...(traceId !== undefined && { trace_id: traceId }),
        ...(spanId !== undefined && { span_id: spanId }),
      },
      values: [[`${BigInt(at) * 1_000_000n}`, body]],
    }));
    return { status: 'success', data: { resultType: 'streams', result, stats: {} } };
  });
