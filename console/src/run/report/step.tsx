import type { NextStep } from '../../../../src/domain/diagnosis/finding.js';
import { causesAt } from '../../model/view/findings-at.js';
import { Icon } from '../../ui/icon.js';
import { EvidenceRow } from '../evidence/evidence-chip.js';
import { useRunView } from '../run-context.js';
import { NodeLink } from './node-link.js';

/**
 * One step. A step that changes something is marked: the service never takes it without approval.
 */
export function Step({ step }: { step: NextStep }) {
  const { model, seq, actions } = useRunView();
  const { text, node, access, command, origin, evidence = [] } = step;
  const causes = causesAt(model, seq);
  const own = causes.find((cause) => cause.node === node);
  // The card of the only cause says which node it is, and a card what its cause rests on.
  const isNamed = own !== undefined && causes.length === 1;
  const more = evidence.filter((seqOfResult) => !own?.evidence.includes(seqOfResult));
  return (
    <>
      <p>
        <StepText text={text} node={node} isNamed={isNamed} />{' '}
        {access === 'change' && <span className="tag tag-warn">changes something</span>}{' '}
        {origin === 'agent' && <span className="tag tag-quiet">proposed by a model</span>}
      </p>
      <EvidenceRow evidence={more} />
      {command && (
        <div className="command">
          <code>{command}</code>
          <button
            className="btn btn-ghost btn-icon btn-small noprint"
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
    </>
  );
}

interface StepTextProps {
  text: string;
  node: string | undefined;
  isNamed: boolean;
}

/** The name of the node is a link where the text has it, else behind it. */
function StepText({ text, node, isNamed }: StepTextProps) {
  const { model } = useRunView();
  if (node === undefined) return text;
  const name = model.nameOf(node);
  const at = text.indexOf(name);
  if (at >= 0)
    return (
      <>
        {text.slice(0, at)}
        <NodeLink node={node} />
        {text.slice(at + name.length)}
      </>
    );
  if (isNamed) return text;
  return (
    <>
      {text} <NodeLink node={node} />
    </>
  );
}
