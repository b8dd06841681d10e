import type { Notice } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { SystemCard } from '../../ui/system-card.js';
import { useRunView } from '../run-context.js';
import { Part } from './part.js';

/** What happened beside the diagnosis: warnings one by one, waits for providers in sum. */
export function OnTheWay() {
  const { model, seq, actions } = useRunView();
  const notices = model.notices.filter((notice) => notice.seq <= seq);
  if (notices.length === 0) return null;
  const waits = notices.filter(({ untilTime }) => untilTime !== null);
  return (
    <Part title="On the way" count={notices.length}>
      {notices
        .filter(({ untilTime }) => untilTime === null)
        .map(({ seq: at, level }) => (
          <button key={at} className="bare" onClick={() => actions.pick(at)}>
            <SystemCard name={`system.${level}`} data={model.at(at)?.data} />
          </button>
        ))}
      {[...Map.groupBy(waits, ({ model: name, code }) => `${name} ${code}`)].map(([key, list]) => (
        <Waits key={key} waits={list} onPick={actions.pick} />
      ))}
    </Part>
  );
}

function Waits({ waits, onPick }: { waits: Notice[]; onPick: (seq: number) => void }) {
  const [first] = waits;
  if (!first) return null;
  const total = waits.reduce((sum, { time, untilTime }) => sum + (untilTime ?? time) - time, 0);
  const often = waits.length === 1 ? 'once' : `${waits.length} times`;
  return (
    <button className="bare" onClick={() => onPick(first.seq)}>
      <div className="sys sys-retry">
        <Icon name="replay" size={15} />
        <div>
          <p>
            Waited {often} for the provider of “{first.model || 'a model'}”, {duration(total)} in
            total over all agents
          </p>
          <p className="sys-meta">
            <code>{first.code}</code>
            <span>tried again, and went on</span>
          </p>
        </div>
      </div>
    </button>
  );
}
