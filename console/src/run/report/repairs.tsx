import type { Repair } from '../../../../src/domain/diagnosis/finding.js';
import { useRunView } from '../run-context.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';

/** The changes that agents asked for, and how each ended. */
export function Repairs({ repairs }: { repairs: readonly Repair[] }) {
  const { model, actions } = useRunView();
  if (repairs.length === 0) return null;
  return (
    <section>
      <h3 className="h-part">
        Repairs <span className="mute">{repairs.length}</span>
      </h3>
      <ol className="steps">
        {repairs.map(({ node, outcome, text, decided_by: by, evidence }) => (
          <li key={evidence[0]}>
            <p>
              {text}
              <span className={`tag ${outcome === 'done' ? 'tag-quiet' : 'tag-warn'}`}>
                {outcome}
                {by && ` · ${by}`}
              </span>
            </p>
            <button className="linkish" onClick={() => actions.pickNode(node)}>
              {model.nameOf(node)}
            </button>
            <EvidenceRow evidence={evidence} />
          </li>
        ))}
      </ol>
    </section>
  );
}
