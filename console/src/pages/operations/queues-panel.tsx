import type { QueueStatus } from '../../api/types.js';
import { number } from '../../model/number.js';
import { duration } from '../../ui/format.js';
import { useNow } from '../../ui/use-now.js';
import { Seen } from './seen.js';

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

interface QueuesPanelProps {
  queues: readonly QueueStatus[];
  /** When they were read, if they are old. */
  since: number | null;
}

/** Jobs by role and state. */
export function QueuesPanel({ queues, since }: QueuesPanelProps) {
  return (
    <>
      <h2 className="h-small">
        Queues <Seen since={since} />
      </h2>
      <div
        className={since === null ? 'panel tablewrap' : 'panel tablewrap is-old'}
        tabIndex={0}
        role="region"
        aria-label="Queues"
      >
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
              <Queue key={status.queue} status={status} stands={since !== null} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** @param stands whether time stands still: nothing is known of now */
function Queue({ status, stands }: { status: QueueStatus; stands: boolean }) {
  const { queue, waitingSince } = status;
  const now = useNow(1_000, waitingSince !== null && !stands);
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
