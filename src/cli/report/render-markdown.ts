import type { NamedEvent, TerminalEvent } from '../../domain/events/event.js';
import type { Finding, Report, RootCause } from '../../domain/diagnosis/finding.js';
import { count, oneLine } from './layout.js';
import type { RunFacts } from './run-facts.js';

type LastEvent = Extract<NamedEvent, { name: TerminalEvent }>;

/** Text of a run as Markdown: one line, with what Markdown or HTML would read as markup escaped. */
const text = (raw: string): string =>
  oneLine(raw)
    .replace(/[\\`*_[\]<>|#~]/g, '\\$&')
    .replace(/&/g, '&amp;');
const code = (raw: string): string => {
  const line = oneLine(raw);
  const fence = '`'.repeat(
    Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1,
  );
  return `${fence}${line.startsWith('`') || line.endsWith('`') ? ` ${line} ` : line}${fence}`;
};

/** The end of a run as a Markdown document: for an incident channel, a ticket or a wiki page. */
export function renderMarkdown(event: LastEvent, facts: RunFacts): string {
  const { report } = event.data;
  const sections = [
    `# ${text(facts.topologyName)}: ${text(titleOf(event))}`,
    ...(report?.impact ? [text(report.impact)] : []),
    ...(report === null ? [] : reportSections(report, facts)),
    `Run ${code(facts.runId)}: ${count(facts.nodes.size, 'node')}, ${count(facts.toolCalls, 'tool call')}.`,
  ];
  return `${sections.join('\n\n')}\n`;
}

function titleOf(event: LastEvent): string {
  switch (event.name) {
    case 'lifecycle.completed':
      return event.data.report?.headline ?? event.data.summary;
    case 'lifecycle.failed':
      return `the run failed (${event.data.code}): ${event.data.error}`;
    case 'lifecycle.cancelled':
      return `cancelled: ${event.data.reason}`;
  }
}

function reportSections(report: Report, facts: RunFacts): string[] {
  const {
    root_causes: causes,
    findings,
    unchecked,
    next_steps: steps = [],
    narrative = '',
    headline = '',
  } = report;
  const repeats = headline !== '' && oneLine(narrative).startsWith(oneLine(headline));
  return [
    ...section(
      'Root causes',
      causes.map((cause) => causeItem(cause, facts)),
    ),
    ...section(
      `Findings (${report.counts.critical} critical, ${count(report.counts.warning, 'warning')})`,
      findings.map((finding) => findingItem(finding, facts)),
    ),
    ...section(
      'Repairs',
      (report.repairs ?? []).map(
        ({ node, outcome, text: what }) =>
          `${outcome}: **${text(facts.nodeName(node))}**: ${text(what)}`,
      ),
    ),
    ...section(
      'Next steps',
      steps.map(({ text: what, access, command, origin }) =>
        [
          `**${access === 'change' ? 'Change' : 'Look'}**: ${text(what)}`,
          ...(origin === 'agent' ? ['(proposed by an agent, not checked)'] : []),
          ...(command === undefined ? [] : [code(command)]),
        ].join(' '),
      ),
    ),
    ...section(
      'Not checked',
      unchecked.map(
        ({ node, reason, detail }) =>
          `**${text(facts.nodeName(node))}**: ${text(detail ?? reason)}`,
      ),
    ),
    ...(narrative === '' || repeats
      ? []
      : [`## In the words of the agents\n\n> ${text(narrative)}`]),
  ];
}

const section = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`## ${title}\n\n${items.map((item) => `- ${item}`).join('\n')}`];

function causeItem(
  { node, title, confidence, chain = [], basis = [], evidence }: RootCause,
  facts: RunFacts,
): string {
  const path =
    chain.length > 1 ? ` Chain: ${chain.map((id) => text(facts.nodeName(id))).join(' → ')}.` : '';
  const why = basis.length > 0 ? ` (${text(basis.join('; '))})` : '';
  const name = facts.nodeName(node);
  const what = title.startsWith(`${name}: `) ? title.slice(name.length + 2) : title;
  return `**${text(name)}**: ${text(what)}, ${Math.round(confidence * 100)} % sure${why}.${path}${cited(evidence, facts)}`;
}

const findingItem = (
  { node, severity, title, detail, evidence }: Finding,
  facts: RunFacts,
): string =>
  `${severity}: **${text(facts.nodeName(node))}**: ${text(title)}. ${text(detail)}${cited(evidence, facts)}`;

/** Each piece of evidence as an item below the claim. */
const cited = (evidence: readonly number[], facts: RunFacts): string =>
  evidence
    .map((sequence) => {
      const result = facts.results.get(sequence);
      return result ? `\n  - #${sequence} ${code(result.tool)}: ${text(result.summary)}` : '';
    })
    .join('');
