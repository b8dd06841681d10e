import type { Finding } from '../../../../src/client/index.js';
import { Glyph } from '../../ui/glyph.js';
import { plainTimes } from '../../ui/plain-times.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { NodeLink } from './node-link.js';

/** A finding with what it rests on. */
export function FindingCard({ finding, downstream }: { finding: Finding; downstream: boolean }) {
  const { node, severity, title, detail, evidence, explanation, origin } = finding;
  return (
    <li className={`finding f-${severity}`}>
      <div className="finding-head">
        <Glyph state={severity} size={14} />
        <p>
          <span className="sr">{severity}: </span>
          <NodeLink node={node} strong /> {title}
        </p>
      </div>
      {origin === 'agent' && <span className="tag tag-quiet">claimed by an agent</span>}
      {downstream && <span className="tag tag-quiet">downstream of the cause</span>}
      <p className="mute finding-detail">{plainTimes(detail)}</p>
      {explanation && (
        <p className="finding-detail">
          <span className="tag tag-quiet">an agent explains</span> {explanation}
        </p>
      )}
      <EvidenceRow evidence={evidence} />
    </li>
  );
}
