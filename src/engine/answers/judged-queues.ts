import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { ToolRecording } from '../../domain/telemetry/records.js';
import { type Row, rowsOf } from './columns.js';

/** The findings in the tables of a broker. */
interface JudgedQueue {
  text: string;
  weight: number;
  kind: FailureKind;
}

/** A smaller number is normal for a moment. */
const LEAST_BEHIND = 1_000;
const WEIGHT = 6;
const UNREAD_WEIGHT = 9;
const HEADINGS = /^(?=.*\bLAG\b)(?=.*\bPARTITION\b)|^\s*name\s.*\bmessages\b/m;

/**
 * The partition that is furthest behind, in the tables of `kafka-consumer-groups --describe`; the
 * queues without a consumer, in `rabbitmqctl list_queues`.
 */
export function judgeQueues(answers: readonly ToolRecording[]): JudgedQueue[] {
  return answers.flatMap(({ output }) => {
    const lines = output.split('\n');
    const start = lines.findIndex((line) => HEADINGS.test(line));
    const rows = start < 0 ? [] : rowsOf(lines.slice(start));
    return [...furthestBehind(rows), ...unreadQueues(rows)];
  });
}

const numberIn = (row: Row, column: string): number => Number(row.get(column) || NaN);

function furthestBehind(rows: readonly Row[]): JudgedQueue[] {
  const [first] = rows
    .filter((row) => numberIn(row, 'LAG') >= LEAST_BEHIND)
    .toSorted((a, b) => numberIn(b, 'LAG') - numberIn(a, 'LAG'));
  if (first === undefined) return [];
  const of = (column: string) => first.get(column) ?? '';
  const isUnread = of('CONSUMER-ID') === '-';
  const behind = rows.filter((row) => numberIn(row, 'LAG') >= LEAST_BEHIND).length;
  const alone = rows.length > 1 && behind === 1 ? `, the only one of ${rows.length}` : '';
  const text = `Group ${of('GROUP')} is ${of('LAG')} records behind in partition ${of('PARTITION')} of ${of('TOPIC')}${alone}: it has read to offset ${of('CURRENT-OFFSET')}${isUnread ? ', and has no consumer' : ''}`;
  return [{ text, kind: 'queue-lag', weight: isUnread ? UNREAD_WEIGHT : WEIGHT }];
}

function unreadQueues(rows: readonly Row[]): JudgedQueue[] {
  return rows
    .filter((row) => numberIn(row, 'MESSAGES') >= LEAST_BEHIND)
    .map((row) => {
      const isUnread = row.get('CONSUMERS') === '0';
      const text = `Queue ${row.get('NAME') ?? ''} holds ${row.get('MESSAGES')} messages${isUnread ? ', and has no consumer' : ''}`;
      return { text, kind: 'queue-lag', weight: isUnread ? UNREAD_WEIGHT : WEIGHT } as const;
    });
}
