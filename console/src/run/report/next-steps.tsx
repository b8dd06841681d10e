import type { NextStep } from '../../../../src/domain/diagnosis/finding.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/** What to do next. A step that changes something is marked: the service never takes it by itself. */
export function NextSteps({ steps }: { steps: readonly NextStep[] }) {
  const { model, actions } = useRunView();
  if (steps.length === 0) return null;
  return (
    <section>
      <h3 className="h-part">
        Next steps <span className="mute">{steps.length}</span>
      </h3>
      <ol className="steps">
        {steps.map(({ text, node, access, command, origin }) => (
          <li key={`${text} ${node ?? ''}`}>
            <p>
              {text}
              {access === 'change' && <span className="tag tag-warn">changes something</span>}
              {origin === 'agent' && <span className="tag tag-quiet">proposed by a model</span>}
            </p>
            {node && (
              <button className="linkish" onClick={() => actions.pickNode(node)}>
                {model.nameOf(node)}
              </button>
            )}
            {command && (
              <div className="command">
                <code>{command}</code>
                <button
                  className="btn btn-ghost btn-icon btn-small"
                  aria-label="Copy the command"
                  onClick={() => {
                    void navigator.clipboard?.writeText(command);
                    actions.toast('Command copied');
                  }}
                >
                  <Icon name="copy" size={13} />
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
