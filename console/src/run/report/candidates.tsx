import { Glyph } from '../../ui/glyph.js';
import { HEALTH_WORDS } from '../../ui/words.js';
import { useRunView } from '../run-context.js';
import { Part } from './part.js';

const SHOWN = 5;

interface CandidatesProps {
  candidates: readonly { node: string; score: number }[];
  causes: ReadonlySet<string>;
}

/**
 * Suspects beside the root causes, as the service ranks them. Scores are an order: how sure the run
 * is of each, they do not say.
 */
export function Candidates({ candidates, causes }: CandidatesProps) {
  const { model, seq, actions } = useRunView();
  const others = candidates.filter(({ node }) => !causes.has(node)).slice(0, SHOWN);
  if (others.length === 0) return null;
  return (
    <Part title="Other suspects">
      <p className="mute">Most suspect first. Only root causes have a confidence.</p>
      <ol className="suspects">
        {others.map(({ node }, i) => {
          const health = model.health(node, seq);
          return (
            <li key={node}>
              <button className="rowlink" onClick={() => actions.pickNode(node)}>
                <span className="mute">{i + 1}</span>
                <Glyph state={health} size={13} />
                <span className="grow">{model.nameOf(node)}</span>
                <span className="mute">{HEALTH_WORDS[health]}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </Part>
  );
}
