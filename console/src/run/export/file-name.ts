const LONGEST = 40;

/**
 * The name of a file for the report of a run: what was diagnosed, and the end of the run's id. The
 * beginning of an id is its time, which other runs share.
 */
export function reportFileName(topology: string | null, runId: string): string {
  const words = (topology ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, LONGEST);
  return ['report', words, runId.slice(-8)].filter(Boolean).join('-');
}
