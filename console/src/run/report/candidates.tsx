import { percent } from '../../ui/format.js';
import { useRunView } from '../run-context.js';
import { Part } from './part.js';

const SHOWN = 5;

interface CandidatesProps {
  candidates: readonly { node: string; score: number }[];
  causes: ReadonlySet<string>;
}

/** Suspects beside the root causes, as the service ranks them. */
export function Candidates({ candidates, causes }: CandidatesProps) {
  const { model, actions } = useRunView();
  const others = candidates.filter(({ node }) => !causes.has(node)).slice(0, SHOWN);
  if (others.length === 0) return null;
  return (
    <Part title="Other suspects">
      <ul className="suspects">
        {others.map(({ node, score }) => (
          <li key={node}>
            <button className="rowlink" onClick={() => actions.pickNode(node)}>
              <span className="grow">{model.nameOf(node)}</span>
              <span className="mute">{percent(score)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}
