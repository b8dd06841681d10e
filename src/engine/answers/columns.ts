/** A row of a table, by the heading of its columns. */
export type Row = ReadonlyMap<string, string>;

const MOST_ROWS = 5_000;

/**
 * The rows of a table with a line of headings, as `kubectl get` and `kubectl describe` print it:
 * two spaces or more separate columns. A row with an empty cell is cut where the headings begin.
 */
export function rowsOf(lines: readonly string[]): Row[] {
  const [heading, ...rest] = lines.filter((line) => line.trim() !== '');
  if (heading === undefined) return [];
  const starts = [...heading.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({
    name,
    index,
  }));
  return rest
    .slice(0, MOST_ROWS)
    .filter((line) => !/^[\s-]+$/.test(line))
    .map((line) => {
      const parts = line.trim().split(/\s{2,}/);
      const cells =
        parts.length === starts.length
          ? parts
          : starts.map(({ index }, at) => line.slice(index, starts[at + 1]?.index).trim());
      return new Map(starts.map(({ name }, at) => [name.toUpperCase(), cells[at] ?? '']));
    });
}
