import { number } from '../../ui/format.js';
import type { Metrics } from './metrics.js';

const ROLES: Record<string, string> = {
  'global-supervisor': 'Global supervisors',
  'team-supervisor': 'Team supervisors',
  worker: 'Workers',
  oracle: 'Oracle',
};
const STATES: [string, string, string][] = [
  ['active', 'at work', 'active'],
  ['waiting', 'waiting for a slot', 'waiting'],
  ['delayed', 'put off (provider, retry)', 'delayed'],
  ['waiting-children', 'parked (hold no slot)', 'parked'],
];

/** Jobs by role and state. */
export function QueuesPanel({ jobs }: { jobs: Metrics['jobs'] }) {
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
              <th className="wide">
                <span className="sr">Share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...jobs].map(([queue, states]) => (
              <Queue key={queue} name={ROLES[queue] ?? queue} states={states} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Queue({ name, states }: { name: string; states: ReadonlyMap<string, number> }) {
  const of = (state: string): number => states.get(state) ?? 0;
  const sum = Math.max(
    1,
    STATES.reduce((total, [state]) => total + of(state), 0),
  );
  return (
    <tr>
      <th scope="row">{name}</th>
      {STATES.map(([state]) => (
        <td key={state} className={of(state) === 0 ? 'r mute' : 'r'}>
          {number(of(state))}
        </td>
      ))}
      <td>
        <span className="loadbar">
          {STATES.map(([state, , look]) => (
            <i
              key={state}
              className={`lb-${look}`}
              style={{ width: `${(of(state) / sum) * 100}%` }}
            />
          ))}
        </span>
      </td>
    </tr>
  );
}
