import type { RootCause } from '../../../../src/domain/diagnosis/finding.js';
import { chainAt } from '../../model/view/path-at.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/**
 * How the failure spreads: from the outermost unhealthy node to the first cause; behind it the
 * other causes.
 */
export function PathLine({ causes }: { causes: readonly RootCause[] }) {
  const { model, seq } = useRunView();
  const [first, ...others] = causes;
  if (!first) return null;
  const chain = chainAt(model, first.node, seq);
  return (
    <ol className="pathline" aria-label="How it spreads, down to the cause">
      {chain.map((id) => (
        <li key={id}>
          <PathNode id={id} isCause={id === first.node} />
          {id !== first.node && <Icon name="right" size={13} />}
        </li>
      ))}
      {others.map(({ node, title }, i) => (
        <li key={`${node} ${title}`} className="path-other">
          {i === 0 && <span className="mute path-also">also</span>}
          <PathNode id={node} isCause />
        </li>
      ))}
    </ol>
  );
}

function PathNode({ id, isCause }: { id: string; isCause: boolean }) {
  const { model, seq, actions } = useRunView();
  const name = model.nameOf(id);
  return (
    <button
      className={`pathnode${isCause ? ' is-root' : ''}`}
      onClick={() => actions.pickNode(id)}
      title={name}
    >
      <Glyph state={isCause ? 'root' : model.health(id, seq)} size={13} />
      <bdi className="ellip">{name}</bdi>
    </button>
  );
}
