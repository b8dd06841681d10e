import type { Json } from '../../lib/json.js';

/** Results above these sizes are given to the librarian (docs/notifications.md). */
const SEARCH_RESULTS = 6;
const SIMILAR_SCORES = 0.1;
const LISTED = 10;
const THREAD_ENTRIES = 20;
const LARGE_TOKENS = 4_000;

const KINDS = {
  search: /(^|_)(search|find|query|lookup)(_|$)/,
  list: /(^|_)(list|ls|dir|files)(_|$)/,
  thread: /(^|_)(thread|conversation|messages)(_|$)/,
};

/**
 * Why a result is too large for the agent that asked for it, for people; null if it is not.
 * @param tokens estimated tokens of the result
 */
export function delegationReason(tool: string, output: Json, tokens: number): string | null {
  if (tokens > LARGE_TOKENS) return `about ${tokens} tokens`;
  const entries = entriesOf(output);
  const many = (what: string) => `${entries.length} ${what}`;
  if (KINDS.thread.test(tool) && entries.length > THREAD_ENTRIES)
    return many('entries of a thread');
  if (KINDS.list.test(tool) && entries.length > LISTED) return many('entries of a listing');
  if (KINDS.search.test(tool) && entries.length > SEARCH_RESULTS && areAlike(entries))
    return many('results of a search with like scores');
  return null;
}

/** The longest list in a result. */
function entriesOf(output: Json): Json[] {
  if (Array.isArray(output)) return output;
  if (typeof output !== 'object' || output === null) return [];
  const lists = [output, output['measurements']].flatMap((holder) =>
    typeof holder === 'object' && holder !== null && !Array.isArray(holder)
      ? Object.values(holder).filter((value) => Array.isArray(value))
      : [],
  );
  return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

/** Whether no result stands out, because their scores are close together. */
function areAlike(entries: readonly Json[]): boolean {
  const scores = entries.map((entry) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? entry['score']
      : undefined,
  );
  if (!scores.every((score) => typeof score === 'number')) return false;
  return Math.max(...scores) - Math.min(...scores) <= SIMILAR_SCORES;
}
