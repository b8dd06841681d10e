import type { NextStep } from '../../../../src/domain/diagnosis/finding.js';
import { Icon } from '../../ui/icon.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { useRunView } from '../run-context.js';
import { NodeLink } from './node-link.js';
import { Part } from './part.js';

/** What to do next. A step that changes something is marked: the service never takes it without approval. */
export function NextSteps({ steps }: { steps: readonly NextStep[] }) {
  const { actions } = useRunView();
  if (steps.length === 0) return null;
  return (
    <Part title="Next steps" count={steps.length}>
      <ol className="steps">
        {steps.map(({ text, node, access, command, origin, evidence }) => (
          <li key={`${text} ${node ?? ''}`}>
            <p>
              {text}
              {access === 'change' && <span className="tag tag-warn">changes something</span>}
              {origin === 'agent' && <span className="tag tag-quiet">proposed by a model</span>}
            </p>
            {node && <NodeLink node={node} />}
            <EvidenceRow evidence={evidence ?? []} />
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
    </Part>
  );
}
