import { bySeverity, causesAt, findingsAt, measuredAt } from '../../model/view/findings-at.js';
import { pathAt } from '../../model/view/path-at.js';
import { useRunView } from '../run-context.js';
import { Candidates } from './candidates.js';
import { CauseCard } from './cause-card.js';
import { FindingCard } from './finding-card.js';
import { NextSteps } from './next-steps.js';
import { Part } from './part.js';
import { Repairs } from './repairs.js';
import { Unchecked } from './unchecked.js';
import { VerdictCard } from './verdict-card.js';

/**
 * What was found, on what grounds, and what was not looked at; from the report, never from the
 * wording of the summary.
 */
export function Conclusion() {
  const { model, seq } = useRunView();
  const ended = model.endedAt(seq);
  const causes = causesAt(model, seq);
  const causeNodes = new Set(causes.map(({ node }) => node));
  const findings = findingsAt(model, seq)
    .filter(({ node, severity }) => !(causeNodes.has(node) && severity === 'critical'))
    .sort(bySeverity);
  const measured = measuredAt(model, seq);
  const downstream = pathAt(model, seq).nodes;
  const steps = ended ? (model.report?.next_steps ?? []) : [];
  const firstOf = (node: string) => steps.find((step) => step.node === node);
  const shown = new Set(causes.flatMap(({ node }) => firstOf(node) ?? []));
  // The grounds of a cause name what is affected by it, if its log is there.
  const isNamed = causes.some(({ node }) => model.nodes.has(node));
  const impact = ended && !isNamed ? model.report?.impact : undefined;
  return (
    <>
      {causes.map((cause, i) => (
        <CauseCard
          key={`${cause.node} ${cause.title}`}
          cause={cause}
          at={i + 1}
          of={causes.length}
          first={firstOf(cause.node)}
        />
      ))}
      {causes.length === 0 && <VerdictCard found={findings.length} measured={measured.length} />}
      {impact && (
        <Part title="Impact">
          <p className="impact">{impact}</p>
        </Part>
      )}
      {ended && <Repairs repairs={model.report?.repairs ?? []} />}
      <NextSteps steps={steps} shown={shown} />
      {findings.length > 0 && (
        <Part title="Findings" count={findings.length}>
          <ul className="findings">
            {findings.map((finding) => (
              <FindingCard
                key={`${finding.node} ${finding.title}`}
                finding={finding}
                downstream={downstream.has(finding.node) && !causeNodes.has(finding.node)}
              />
            ))}
          </ul>
        </Part>
      )}
      {measured.length > 0 && (
        <Part
          title={ended ? 'Measured, but not reported' : 'Measured, not reported yet'}
          count={measured.length}
        >
          <ul className="findings is-provisional">
            {measured.map((finding) => (
              <FindingCard
                key={`${finding.node} ${finding.title}`}
                finding={finding}
                downstream={false}
              />
            ))}
          </ul>
        </Part>
      )}
      {ended && <Candidates candidates={model.report?.candidates ?? []} causes={causeNodes} />}
      {ended && <Unchecked unchecked={model.report?.unchecked ?? []} />}
    </>
  );
}
