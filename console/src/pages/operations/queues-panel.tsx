import type { QueueStatus } from '../../api/types.js';
import { number } from '../../model/number.js';
import { duration } from '../../ui/format.js';
import { useNow } from '../../ui/use-now.js';

const ROLES: Record<string, string> = {
  'global-supervisor': 'Global supervisors',
  'team-supervisor': 'Team supervisors',
  worker: 'Workers',
  oracle: 'Oracle',
};
const STATES = [
  ['active', 'at work'],
  ['waiting', 'waiting for a slot'],
  ['delayed', 'put off (provider, retry)'],
  ['parked', 'parked (hold no slot)'],
] as const;

/** Jobs by role and state. */
export function QueuesPanel({ queues }: { queues: readonly QueueStatus[] }) {
  return (
    <>
      <h2 className="h-small">Queues</h2>
      <div className="panel tablewrap" tabIndex={0} role="region" aria-label="Queues">
        <table className="table">
          <thead>
            <tr>
              <th>Role</th>
              {STATES.map(([state, label]) => (
                <th key={state} className="r">
                  {label}
                </th>
              ))}
              <th className="r">oldest waits</th>
              <th className="wide">
                <span className="sr">Share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.map((status) => (
              <Queue key={status.queue} status={status} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Queue({ status }: { status: QueueStatus }) {
  const { queue, waitingSince } = status;
  const now = useNow(1_000, waitingSince !== null);
  const sum = Math.max(
    1,
    STATES.reduce((total, [state]) => total + status[state], 0),
  );
  return (
    <tr>
      <th scope="row">{ROLES[queue] ?? queue}</th>
      {STATES.map(([state]) => (
        <td key={state} className={status[state] === 0 ? 'r mute' : 'r'}>
          {number(status[state])}
        </td>
      ))}
      <td className={waitingSince === null ? 'r mute' : 'r'}>
        {waitingSince === null ? '–' : duration(Math.max(0, now - Date.parse(waitingSince)))}
      </td>
      <td>
        <span className="loadbar">
          {STATES.map(([state]) => (
            <i
              key={state}
              className={`lb-${state}`}
              style={{ width: `${(status[state] / sum) * 100}%` }}
            />
          ))}
        </span>
      </td>
    </tr>
  );
}
