import type { LogRecord } from '../../../src/domain/telemetry/records.js';
import { startReplay, type AskedOf, type SourceReplay } from './source-replay.js';

interface Search {
  size: number;
  query: { bool: { filter: object[]; must: Match[]; should?: object[]; must_not?: object[] } };
}
interface Match {
  multi_match: { query: string };
}

/**
 * A server that answers `_search` of Elasticsearch for the filters and texts that are asked for,
 * from records in memory that have the fields of ECS. It finds words, as an analysed text does, and
 * the last word by its beginning.
 */
export const startElasticsearchReplay = (records: readonly LogRecord[]): Promise<SourceReplay> =>
  startReplay(({ url, body }: AskedOf) => {
    if (!url.pathname.endsWith('/_search')) return undefined;
    if (body === '') return { hits: { hits: [] } };
    const { size, query } = JSON.parse(body) as Search;
    const { filter, must, should, must_not: mustNot } = query.bool;
    const [{ range }] = filter as [{ range: { '@timestamp': { gte: number; lte: number } } }];
    const { gte, lte } = range['@timestamp'];
    const terms = filter.flatMap((each) => ('term' in each ? [each.term as object] : []));
    const found = records
      .filter(({ at }) => at >= gte && at <= lte)
      .filter(({ labels }) =>
        terms.every((term) =>
          Object.entries(term).every(([field, value]) => labels[field] === value),
        ),
      )
      .filter((record) => must.every((each) => hasWords(record.body, each.multi_match.query)))
      .filter((record) => should === undefined || isTelling(record))
      .filter((record) => mustNot === undefined || !isTelling(record))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, size);
    return { timed_out: false, hits: { hits: found.map(documentOf) } };
  });

const wordsOf = (text: string) => text.toLowerCase().match(/\w+/g) ?? [];

function hasWords(body: string, text: string): boolean {
  const words = wordsOf(body);
  const wanted = wordsOf(text);
  return words.some((_, start) =>
    wanted.every((word, i) =>
      i === wanted.length - 1
        ? words[start + i]?.startsWith(word) === true
        : words[start + i] === word,
    ),
  );
}

const isTelling = ({ severity, body }: LogRecord): boolean =>
  /^(?:error|warn)/i.test(severity) || /\b(?:error|failed|timeout)\b/i.test(body);

const documentOf = ({ at, body, severity, labels, traceId, spanId }: LogRecord) => ({
  _index: 'logs-app',
  _source: {
    '@timestamp': new Date(at).toISOString(),
    message: body,
    log: { level: severity },
    service: { name: labels['service.name'] },
    ...(traceId !== undefined && { trace: { id: traceId } }),
    ...(spanId !== undefined && { span: { id: spanId } }),
  },
});
