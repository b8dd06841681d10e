import { escapeMarkdown } from '../../../../src/lib/markdown.js';
import type { RunModel } from '../../model/run-model.js';
import { linkToEvent, reportParts, type Cite, type StepParts } from './report-parts.js';

/** One line without markup: findings quote what they measured. */
const plain = (text: string): string => escapeMarkdown(text.replace(/\s+/g, ' '));

const section = (title: string, lines: string[]): string[] =>
  lines.length > 0 ? ['', `## ${title}`, '', ...lines] : [];

/** A block of code as it is, within an item of a list. */
function codeBlock(code: string): string[] {
  const runs = [...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length);
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [fence, ...code.split(/\r?\n/), fence].map((line) => `  ${line}`);
}

const step = ({ text, notes, command }: StepParts): string[] => [
  `- ${[plain(text), ...notes.map((note) => `**(${note})**`)].join(' ')}`,
  ...(command ? ['', ...codeBlock(command), ''] : []),
];

/**
 * The report of a run as Markdown, with links back to it and with what its claims cite.
 * @param link as `location.href` has it, with all special characters encoded
 */
export function reportAsMarkdown(model: RunModel, link: string): string {
  const parts = reportParts(model);
  const cites = (evidence: readonly Cite[]): string =>
    evidence.map(({ seq, text }) => `[${plain(text)}](<${linkToEvent(link, seq)}>)`).join(', ');
  const lines = [
    `# ${plain(parts.title)}`,
    '',
    ...parts.facts.map(([name, value]) => `- **${name}:** ${plain(value)}`),
    `- **Link:** <${link}>`,
    ...parts.causes.flatMap((cause) => [
      ...section(`Root cause: ${plain(cause.title)}`, [
        `${cause.confidence} sure. ${cause.chain.map(plain).join(' → ')}`,
        '',
        ...(cause.detail ? [plain(cause.detail), ''] : []),
        ...(cause.kind ? [`- Kind: ${plain(cause.kind)}`] : []),
        ...cause.grounds.map((ground) => `- ${plain(ground)}`),
        `- Evidence: ${cites(cause.evidence)}`,
      ]),
    ]),
    ...section(
      'Findings',
      parts.findings.map(
        ({ severity, node, title, detail, evidence }) =>
          `- **${severity}** ${plain(node)}: ${plain(title)}. ${plain(detail)} (${cites(evidence)})`,
      ),
    ),
    ...section(
      'Unchecked',
      parts.unchecked.map(({ node, reason }) => `- ${plain(node)}: ${plain(reason)}`),
    ),
    ...section('Next steps', parts.nextSteps.flatMap(step)),
    ...section(
      'What was measured',
      parts.cited.flatMap(({ seq, tool, node, facts, summary, issues, numbers }) => [
        `### ${cites([{ seq, text: `#${seq} ${tool}` }])}${node && `, ${plain(node)}`}`,
        '',
        `${plain(summary)} (${plain(facts)})`,
        '',
        ...issues.map(
          (issue) => `- **${issue.severity}** ${plain(issue.title)}: ${plain(issue.detail)}`,
        ),
        ...numbers.map(([name, value]) => `- ${plain(name)}: ${plain(value)}`),
        '',
      ]),
    ),
    '',
  ];
  return lines.join('\n');
}
