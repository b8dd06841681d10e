import { number } from '../../model/number.js';
import { clock } from '../../ui/format.js';
import type { LinesOfAKind } from './telemetry-data.js';

/** Log lines by what changed about them, each as it was first seen, with how often and when. */
export function LogPatterns({ kinds }: { kinds: readonly LinesOfAKind[] }) {
  return kinds.map(({ kind, lines }) => (
    <section key={kind} className="patterns">
      <h4>
        {kind} <small className="mute">{lines.length}</small>
      </h4>
      <ul>
        {lines.map(({ text, error, count, first, last }) => (
          <li key={`${text} ${first}`} className={error ? 'is-error' : ''}>
            <code>{text}</code>
            <small className="mute">
              {[
                error && 'error',
                count !== undefined && (count === 1 ? 'once' : `${number(count)} times`),
                first && (first === last ? clock(first) : `${clock(first)} to ${clock(last)}`),
              ]
                .filter(Boolean)
                .join(', ')}
            </small>
          </li>
        ))}
      </ul>
    </section>
  ));
}
