import type { Notice } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { SystemCard } from '../../ui/system-card.js';
import { useRunView } from '../run-context.js';
import { Part } from './part.js';

/** What happened beside the diagnosis: warnings one by one, waits for providers in sum. */
export function OnTheWay() {
  const { model, seq, endTime, actions } = useRunView();
  const notices = model.notices.filter((notice) => notice.seq <= seq);
  if (notices.length === 0) return null;
  const waits = notices.filter(({ untilTime }) => untilTime !== null);
  return (
    <Part title="On the way" count={notices.length}>
      {alike(notices.filter(({ untilTime }) => untilTime === null)).map(({ first, times }) => (
        <button key={first.seq} className="bare" onClick={() => actions.pick(first.seq)}>
          <SystemCard
            name={`system.${first.level}`}
            data={model.at(first.seq)?.data}
            times={times}
          />
        </button>
      ))}
      {[...Map.groupBy(waits, ({ model: name, code }) => `${name} ${code}`)].map(([key, list]) => (
        <Waits key={key} waits={list} now={endTime} onPick={actions.pick} />
      ))}
    </Part>
  );
}

/** Notices that say the same, of several agents or again, as one. */
function alike(notices: readonly Notice[]): { first: Notice; times: number }[] {
  const groups = Map.groupBy(notices, ({ code, message }) => `${code} ${message}`);
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ first: group[0], times: group.length }] : [],
  );
}

interface WaitsProps {
  waits: Notice[];
  /** By the log's clock. */
  now: number;
  onPick: (seq: number) => void;
}

function Waits({ waits, now, onPick }: WaitsProps) {
  const [first] = waits;
  if (!first) return null;
  const total = waits.reduce((sum, { time, untilTime }) => sum + (untilTime ?? time) - time, 0);
  const goesOn = waits.some(({ untilTime }) => (untilTime ?? 0) > now);
  const often = waits.length === 1 ? 'once' : `${waits.length} times`;
  return (
    <button className="bare" onClick={() => onPick(first.seq)}>
      <div className="sys sys-retry">
        <Icon name="replay" size={15} />
        <div>
          <p>
            {goesOn ? 'Waits' : 'Waited'} {often} for the provider of “{first.model || 'a model'}”,{' '}
            {duration(total)} in total over all agents
          </p>
          <p className="sys-meta">
            <code>{first.code}</code>
            <span>{goesOn ? 'is tried again' : 'tried again, and went on'}</span>
          </p>
        </div>
      </div>
    </button>
  );
}
