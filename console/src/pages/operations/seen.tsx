import { ago } from '../../ui/format.js';
import { useNow } from '../../ui/use-now.js';

/** Figures that are older than this are not those of now: no answer comes; ms. */
const OLD_MS = 10_000;

/** When an answer was read that may no longer be true; null: it is of now, or there is none. */
export function oldSince(
  { data, error, dataUpdatedAt }: { data: unknown; error: unknown; dataUpdatedAt: number },
  now: number,
): number | null {
  if (data === undefined) return null;
  return error !== null || now - dataUpdatedAt > OLD_MS ? dataUpdatedAt : null;
}

/** Says how old figures are that are not of now. */
export function Seen({ since }: { since: number | null }) {
  const now = useNow(1_000, since !== null);
  if (since === null) return null;
  const age = ago(since, now);
  return <span className="tag tag-warn">seen {age === 'now' ? 'a moment ago' : age}</span>;
}
