import { sentence, type DiagnosedRun } from './report.js';
import { withName } from '../../../../domain/diagnosis/wording.js';

const VERDICTS: Readonly<Record<string, string>> = {
  root_cause_found: 'root cause found',
  issues_found: 'issues found',
  healthy: 'healthy',
  inconclusive: 'inconclusive',
};

/** Returns the verdict of a diagnosis and its headline. */
export function verdictText({ run, shape }: DiagnosedRun): string {
  const { report } = run;
  if (!report) return `${run.status}. ${sentence(run.summary ?? '')}`.trim();
  const causes = report.root_causes.map(({ node, title }) => {
    const name = shape?.nodes.find(({ id }) => id === node)?.name;
    return name === undefined || title.startsWith(name) ? title : withName(name, title);
  });
  const headline = report.headline ?? (causes.length > 0 ? causes.join('; ') : '');
  const verdict = VERDICTS[report.verdict] ?? report.verdict;
  if (headline === '') return `${verdict}.`;
  // A headline of the service says the verdict itself, unless nothing could be concluded.
  const isSaid = report.headline !== undefined && report.verdict !== 'inconclusive';
  return isSaid ? sentence(headline) : `${verdict}: ${sentence(headline)}`;
}
