import { percent } from '../../ui/format.js';
import type { Ground } from '../../model/view/grounds-at.js';
import { Grounds } from '../report/grounds.js';
import { NodeLink } from '../report/node-link.js';
import type { Suspect } from './telemetry-data.js';

/** The first suspects are shown with their reasons, so many of each. */
const REASONED = 2;
const REASONS = 3;

/** The suspects, their scores, and the evidence for and against each. */
export function Ranking({ suspects }: { suspects: readonly Suspect[] }) {
  return (
    <div>
      <p className="mute">
        How likely each is the cause, by recorded telemetry. Later measurements can change that: the
        report decides.
      </p>
      <ol className="ranking">
        {suspects.map((suspect, i) => (
          <li key={`${suspect.node} ${suspect.title}`}>
            <div className="gauge-head">
              <NodeLink node={suspect.node} strong />
              <b>{percent(suspect.confidence)}</b>
            </div>
            <div className="rank-rail" aria-hidden="true">
              <i
                className={i === 0 ? 'is-first' : ''}
                style={{ width: `${suspect.confidence * 100}%` }}
              />
            </div>
            <p>{suspect.title}</p>
            {i < REASONED && <Grounds grounds={groundsOf(suspect)} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

const groundsOf = ({ title, speaksFor, against }: Suspect): Ground[] => [
  ...speaksFor
    .filter((reason) => reason !== title)
    .slice(0, REASONS)
    .map((text) => ({ speaks: 'for' as const, text })),
  ...against.slice(0, REASONS).map((text) => ({ speaks: 'against' as const, text })),
];
