import { z } from 'zod';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { fieldsOf } from '../../domain/kubernetes/fields.js';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { LinesQuestion, LogServerReader } from '../live/served-logs.js';
import { looseLogIn } from '../recording/parse-loose-log.js';

const TIME = '@timestamp';
const MOST_LINE = 4_096;
/** Fields that hold the text of a record: of ECS, OpenTelemetry, Fluent Bit and usual programs. */
const TEXTS = ['message', 'body.text', 'log', 'msg', 'event.original'];
const LEVELS = ['log.level', 'level', 'severity', 'severity_text'];
const READ = [
  TIME,
  ...TEXTS,
  ...LEVELS,
  'body',
  'trace*',
  'span*',
  'service*',
  'host.name',
  'kubernetes.pod*',
  'kubernetes.namespace*',
  'kubernetes.container*',
  'resource.attributes*',
];
const TELLING_LEVELS = ['error', 'err', 'fatal', 'critical', 'warn', 'warning'].flatMap((level) => [
  level,
  level.toUpperCase(),
  level.charAt(0).toUpperCase() + level.slice(1),
]);
const TELLING_WORDS =
  'error exception fatal panic warn warning fail failed failure timeout refused denied unavailable critical';

const answer = z.object({
  hits: z.object({
    hits: z.array(z.object({ _source: z.record(z.string(), z.unknown()) })).max(1_000),
  }),
});

/**
 * Reads logs from Elasticsearch or OpenSearch (`_search` below the indices of the endpoint,
 * https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-search).
 */
export const elasticsearchReader: LogServerReader = {
  async read(server, question, signal) {
    const query = 'ignore_unavailable=true&allow_no_indices=true';
    const json = JSON.stringify(searchOf(question));
    const path = `/_search?${query}`;
    const parsed = answer.safeParse(await askSource(server, { path, json }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer is not a search result of Elasticsearch');
    const { window, most } = question;
    return parsed.data.hits.hits
      .flatMap(({ _source }) => recordIn(_source) ?? [])
      .filter(({ at }) => at >= window.from && at <= window.to)
      .toSorted((a, b) => b.at - a.at)
      .slice(0, most);
  },
};

function searchOf({ selector, window, text, lines, most }: LinesQuestion) {
  const range = { gte: Math.floor(window.from), lte: Math.floor(window.to) };
  const filter: object[] = [
    { range: { [TIME]: { ...range, format: 'epoch_millis' } } },
    ...termsOf(selector).map(([field, value]) => ({ term: { [field]: value } })),
  ];
  const must = text === undefined ? [] : [textMatch(text, 'phrase_prefix')];
  const telling = [
    ...LEVELS.map((field) => ({ terms: { [field]: TELLING_LEVELS } })),
    textMatch(TELLING_WORDS, 'best_fields'),
  ];
  return {
    size: most,
    track_total_hits: false,
    timeout: '8s',
    _source: { includes: READ },
    sort: [{ [TIME]: { order: 'desc', unmapped_type: 'date' } }],
    query: {
      bool: {
        filter,
        must,
        ...(lines === 'telling' && { should: telling, minimum_should_match: 1 }),
        ...(lines === 'other' && { must_not: telling }),
      },
    },
  };
}

const textMatch = (query: string, type: string) => ({
  multi_match: { query, type, fields: TEXTS, lenient: true },
});

/** `field=value`, several joined by commas. */
const termsOf = (selector: string): [string, string][] =>
  selector.split(',').map((term) => {
    const at = term.indexOf('=');
    return [term.slice(0, at).trim(), term.slice(at + 1).trim()];
  });

function recordIn(source: Record<string, unknown>): Omit<LogRecord, 'node'> | undefined {
  const { log, body, trace, span } = source;
  const nested = { level: fieldsOf(log)['level'], text: fieldsOf(body)['text'] };
  const ids = { trace: fieldsOf(trace)['id'], span: fieldsOf(span)['id'] };
  return looseLogIn(
    {
      ...source,
      // ECS and OpenTelemetry nest what others write as one field.
      ...(nested.level !== undefined && { 'log.level': nested.level }),
      ...(nested.text !== undefined && { body: nested.text }),
      ...(ids.trace !== undefined && { 'trace.id': ids.trace }),
      ...(ids.span !== undefined && { 'span.id': ids.span }),
    },
    MOST_LINE,
  );
}
