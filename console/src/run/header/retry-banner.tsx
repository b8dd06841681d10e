import { count } from '../../model/number.js';
import type { Notice } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

const NAMED = 3;

/** Waits for providers that are going on: who waits, how long still. One line for each model. */
export function RetryBanner() {
  const { model, seq, endTime, live, at } = useRunView();
  if (!live || at !== null) return null;
  const waits = model.notices.filter(
    (notice) => notice.untilTime !== null && notice.seq <= seq && notice.untilTime > endTime,
  );
  const byModel = Map.groupBy(waits, (notice) => notice.model);
  return (
    <div className="over">
      {[...byModel].slice(0, 1).map(([name, notices]) => (
        <Wait key={name} name={name} notices={notices} now={endTime} more={byModel.size - 1} />
      ))}
    </div>
  );
}

interface WaitProps {
  name: string;
  notices: Notice[];
  now: number;
  more: number;
}

function Wait({ name, notices, now, more }: WaitProps) {
  const until = Math.max(...notices.map((notice) => notice.untilTime ?? 0));
  const since = Math.min(...notices.map((notice) => notice.time));
  const agents = [...new Set(notices.map((notice) => notice.row?.name ?? 'an agent'))];
  const left = until - now;
  const who =
    agents.length > NAMED
      ? `${agents.slice(0, NAMED).join(', ')} and ${agents.length - NAMED} more wait`
      : `${agents.join(', ')} ${agents.length === 1 ? 'waits' : 'wait'}`;
  return (
    <div className="banner banner-warn">
      <Icon name="replay" size={14} />
      <p role="status">
        {name ? `“${name}” is busy` : 'A model is busy'}: {who}. Nothing is lost.
        {more > 0 && ` ${count(more, 'more model')} ${more === 1 ? 'is' : 'are'} busy, too.`}
      </p>
      <span className="mute">{duration(left)}</span>
      <span className="retry-bar" aria-hidden="true">
        <i style={{ width: `${Math.max(0, Math.min(100, (left / (until - since)) * 100))}%` }} />
      </span>
    </div>
  );
}
