import type { Repair } from '../../../../src/domain/diagnosis/finding.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { NodeLink } from './node-link.js';
import { Part } from './part.js';

/** The changes that agents asked for, and how each ended. */
export function Repairs({ repairs }: { repairs: readonly Repair[] }) {
  if (repairs.length === 0) return null;
  return (
    <Part title="Repairs" count={repairs.length}>
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
            <NodeLink node={node} />
            <EvidenceRow evidence={evidence} />
          </li>
        ))}
      </ol>
    </Part>
  );
}
