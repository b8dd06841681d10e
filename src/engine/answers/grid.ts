import type { Row } from './columns.js';

const MOST_LINES = 20_000;
const RULE = /^\s*\+?[-+]{3,}\s*$/;

/**
 * The rows of tables as `psql` prints them (`a | b` above `---+---`), and `mysql` (`| a | b |`
 * between `+---+`), by the heading of their columns.
 */
export function gridRows(text: string): Row[] {
  const rows: Row[] = [];
  let headings: string[] | undefined;
  let before = '';
  for (const line of text.split('\n', MOST_LINES)) {
    if (RULE.test(line)) headings = headings ?? (before === '' ? undefined : cellsOf(before));
    else if (!line.includes('|') && headings?.length !== 1) headings = undefined;
    else if (headings) {
      const cells = cellsOf(line);
      if (cells.length === headings.length)
        rows.push(new Map(headings.map((name, at) => [name.toUpperCase(), cells[at] ?? ''])));
    }
    before = line.trim();
    if (before === '') headings = undefined;
  }
  return rows;
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
