import { chainAt } from '../../model/view/path-at.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/** How the trouble spreads: from the outermost unwell node to the cause. */
export function PathLine({ cause }: { cause: string }) {
  const { model, seq, actions } = useRunView();
  const chain = chainAt(model, cause, seq);
  return (
    <ol className="pathline" aria-label="How it spreads, down to the cause">
      {chain.map((id) => {
        const isCause = id === cause;
        return (
          <li key={id}>
            <button
              className={`pathnode${isCause ? ' is-root' : ''}`}
              onClick={() => actions.pickNode(id)}
            >
              <Glyph state={isCause ? 'root' : model.health(id, seq)} size={13} />
              {model.nameOf(id)}
            </button>
            {!isCause && <Icon name="right" size={13} />}
          </li>
        );
      })}
    </ol>
  );
}
