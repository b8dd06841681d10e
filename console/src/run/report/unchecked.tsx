import type { Unchecked as UncheckedNode } from '../../../../src/domain/diagnosis/finding.js';
import { uncheckedText } from '../../../../src/domain/diagnosis/wording.js';
import { AllowedLink } from '../../ui/allowed-link.js';
import { Icon } from '../../ui/icon.js';
import { Glyph } from '../../ui/glyph.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { useRunView } from '../run-context.js';
import { NodeLink } from './node-link.js';
import { Part } from './part.js';

/** Nodes that nothing is known about, by reason. */
export function Unchecked({ unchecked }: { unchecked: readonly UncheckedNode[] }) {
  const { model, live } = useRunView();
  const { topology_id: topology, user_message: message = '' } = model.started ?? {};
  if (unchecked.length === 0) return null;
  return (
    <Part title="Unchecked" count={unchecked.length}>
      <ul className="unchecked">
        {[...Map.groupBy(unchecked, uncheckedText)].map(([reason, nodes]) => (
          <li key={reason}>
            <p>
              {nodes.map(({ node }) => (
                <span key={node} className="tag">
                  <Glyph state="unchecked" size={11} />
                  <NodeLink node={node} />
                </span>
              ))}
            </p>
            <p className="mute">{reason}</p>
            <EvidenceRow evidence={nodes.flatMap(({ evidence = [] }) => evidence)} />
          </li>
        ))}
      </ul>
      {!live && topology && (
        <AllowedLink
          action="runs:start"
          to="/diagnose"
          search={{ topology, message, nodes: unchecked.map(({ node }) => node) }}
          className="btn btn-small noprint"
        >
          <Icon name="spark" size={13} />
          Check {unchecked.length === 1 ? 'it' : `these ${unchecked.length}`}
        </AllowedLink>
      )}
    </Part>
  );
}
