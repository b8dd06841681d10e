import { clip } from '../../lib/text.js';
import type { Group, NotificationRow } from './notification-state.js';

/** Rows shown of a group; further ones are only counted. */
const MOST_ROWS = 20;
/**
 * Approximate maximum characters of all groups of a point; above it, only their headers are shown.
 */
const MOST_TEXT = 6_000;
const ROW_LENGTH = 300;

const countOf = (rows: readonly NotificationRow[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);
const rowText = ({ text, count }: NotificationRow): string =>
  `${clip(text, ROW_LENGTH)}${count > 1 ? ` (${count} times)` : ''}`;

/** Formats a single row as it is, several as a header with their count and one line each. */
function formatGroup({ name, rows }: Group, brief: boolean): string {
  const [first] = rows;
  if (first && rows.length === 1) return brief ? `${name}: ${countOf(rows)}` : rowText(first);
  const header = `${name}: ${countOf(rows)}`;
  if (brief) return header;
  const lines = rows.slice(0, MOST_ROWS).map((row) => `- ${rowText(row)}`);
  if (rows.length > MOST_ROWS) lines.push(`- and ${countOf(rows.slice(MOST_ROWS))} more`);
  return [header, ...lines].join('\n');
}

/** The text in the model's messages: the groups in the given order. */
export function formatGroups(groups: readonly Group[], dropped: number): string {
  const parts: string[] = [];
  let length = 0;
  for (const group of groups) {
    const part = formatGroup(group, length > MOST_TEXT);
    length += part.length;
    parts.push(part);
  }
  if (dropped > 0)
    parts.push(`${dropped} events of little weight were left out: too many at once.`);
  return parts.join('\n');
}
