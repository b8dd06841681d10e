import type { NamedEvent, TerminalEvent } from '../../domain/events/event.js';
import {
  isClaim,
  originNote,
  type Finding,
  type Report,
  type RootCause,
  type Severity,
  type Verdict,
} from '../../domain/diagnosis/finding.js';
import {
  newsIn,
  uncheckedText,
  uncheckedWords,
  withoutName,
} from '../../domain/diagnosis/wording.js';
import { failurePaths } from './draw-path.js';
import { count, duration, length, oneLine, wrap } from './layout.js';
import type { Colour, Paint } from './paint.js';
import { partialText } from './partial-text.js';
import { renderNextSteps } from './render-next-steps.js';
import type { RunFacts } from './run-facts.js';

const VERDICT: Record<Verdict, [string, string, Colour]> = {
  root_cause_found: ['✗', 'Root cause found', 'red'],
  issues_found: ['!', 'Issues found', 'yellow'],
  healthy: ['✓', 'Healthy', 'green'],
  inconclusive: ['?', 'Inconclusive', 'yellow'],
};
const SEVERITY: Record<Severity, [string, Colour]> = {
  critical: ['✗', 'red'],
  warning: ['!', 'yellow'],
  info: ['i', 'blue'],
};
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/** The event that ends a run. */
export type LastEvent = Extract<NamedEvent, { name: TerminalEvent }>;

export interface RenderContext {
  facts: RunFacts;
  columns: number;
  paint: Paint;
}

/** The result of a run as text: what is wrong, why, the evidence, and what was not checked. */
export function renderReport(event: LastEvent, page: RenderContext): string[] {
  const { facts, paint, columns } = page;
  const { report } = event.data;
  const took = Date.parse(event.timestamp) - facts.startedAt;
  const lines = [
    '',
    paint('dim', '─'.repeat(Math.min(columns, 100))),
    ...headline(event, report, page),
    '',
  ];
  if (report !== null) {
    lines.push(
      ...paths(report, page),
      ...rootCauses(report, page),
      ...findings(report, page),
      ...repairs(report, page),
      ...renderNextSteps(report, page),
      ...unchecked(report, page),
    );
  }
  const numbers = [
    count(facts.nodes.size, 'node'),
    count(facts.agents.length, 'agent'),
    count(facts.toolCalls, 'tool call'),
    duration(took),
  ];
  if (facts.tokens > 0)
    numbers.push(
      count(facts.tokens, 'token') +
        (facts.cost === undefined ? '' : ` (cost ${price(facts.cost)})`),
    );
  lines.push(paint('dim', numbers.join(', ')), paint('dim', `Run ${oneLine(facts.runId)}`));
  return lines;
}

/** Two significant digits: `0.0042`, `1.30`; the currency is that of the models file. */
const price = (cost: number): string =>
  cost >= 0.01 || cost === 0 ? cost.toFixed(2) : cost.toPrecision(2);

function headline(
  event: LastEvent,
  report: Report | null,
  { facts, paint, columns }: RenderContext,
): string[] {
  const text = (body: string): string[] => wrap(body, columns - 2).map((line) => `  ${line}`);
  switch (event.name) {
    case 'lifecycle.failed':
      return [
        paint('red', `✗ The run failed (${oneLine(event.data.code)})`),
        ...text(event.data.error),
      ];
    case 'lifecycle.cancelled':
      return [
        paint('yellow', '■ Cancelled'),
        ...text(event.data.reason),
        ...(report?.findings.length ? text('What was found until then:') : []),
      ];
    case 'lifecycle.completed': {
      const [mark, title, colour] = VERDICT[report?.verdict ?? 'inconclusive'];
      const why = partialText(event.data.reasons, report, (node) => facts.nodeName(node));
      const partial = event.data.partial ? paint('yellow', `  (partial: ${oneLine(why)})`) : '';
      return [
        paint('bold', paint(colour, `${mark} ${title}`)) + partial,
        ...text(event.data.summary),
        ...(report?.impact ? text(report.impact) : []),
        ...saidByAgents(event.data.summary, report, { paint, columns }),
      ];
    }
  }
}

/** The sentences of the agent at the top that the service's own summary does not contain. */
function saidByAgents(
  summary: string,
  report: Report | null,
  { paint, columns }: Pick<RenderContext, 'paint' | 'columns'>,
): string[] {
  const said = oneLine(report?.narrative ?? '');
  const shown = oneLine(`${report?.headline ?? ''} ${summary} ${report?.impact ?? ''}`);
  const news = newsIn(said, shown);
  if (news === '') return [];
  return wrap(`In the words of the agents: ${news}`, columns - 2, 6).map((line) =>
    paint('dim', `  ${line}`),
  );
}

/**
 * `Storefront ✗ → Checkout ✗ → Payments Redis ✗ root cause`; on separate lines if it does not fit.
 */
function paths(report: Report, { facts, paint, columns }: RenderContext): string[] {
  const marks = new Map<string, [string, Colour]>();
  for (const severity of [...SEVERITIES].reverse())
    for (const finding of report.findings)
      if (finding.severity === severity) marks.set(finding.node, SEVERITY[severity]);
  const lines = failurePaths(report, facts.nodes)
    .filter((path) => path.length > 1)
    .flatMap((path) => {
      const names = path.map((id) => oneLine(facts.nodeName(id)));
      const last = names.length - 1;
      const shown = names.map((name, i) => {
        const [mark, colour] = marks.get(path[i] ?? '') ?? ['✗', 'red'];
        return `${i === last ? paint('bold', name) : name} ${paint(colour, mark)}${i === last ? paint('red', ' root cause') : ''}`;
      });
      const width = names.reduce((sum, name) => sum + length(name) + 5, 10);
      if (width <= columns) return [`  ${shown.join(paint('dim', ' → '))}`];
      return shown.map((part, i) => `  ${i === 0 ? '' : `${'   '.repeat(i - 1)}└→ `}${part}`);
    });
  return lines.length === 0 ? [] : [...lines, ''];
}

export function rootCauses(report: Report, page: RenderContext): string[] {
  const { paint } = page;
  if (report.root_causes.length === 0) return [];
  const lines = report.root_causes.flatMap((cause) => [
    `  ${paint('red', '✗')} ${claim(cause.node, cause.title, page)}  ${paint('dim', `${cause.kind === undefined ? '' : `${cause.kind}, `}${Math.round(cause.confidence * 100)} % sure`)}`,
    ...certainty(cause, page),
    ...evidenceLines(cause.evidence, page),
  ]);
  return [
    paint('bold', report.root_causes.length === 1 ? 'Root cause' : 'Root causes'),
    ...lines,
    '',
  ];
}

/** The basis of the confidence, and what is not excluded. */
function certainty(
  { basis = [], not_excluded: open = [] }: RootCause,
  page: RenderContext,
): string[] {
  const { facts, paint, columns } = page;
  const lines = [
    ...(basis.length > 0 ? [`since ${basis.join('; ')}`] : []),
    ...open.map(({ node, reason }) => `not excluded: ${facts.nodeName(node)} (${reason})`),
  ];
  return lines.flatMap((line) =>
    wrap(line, columns - 4).map((part) => paint('dim', `    ${part}`)),
  );
}

function findings(report: Report, page: RenderContext): string[] {
  const { paint } = page;
  if (report.findings.length === 0) return [];
  const counts = SEVERITIES.map((severity) => `${report.counts[severity]} ${severity}`).join(', ');
  const shown = new Set(report.root_causes.flatMap(({ evidence }) => evidence));
  const lines = SEVERITIES.flatMap((severity) =>
    report.findings
      .filter((finding) => finding.severity === severity)
      .flatMap((finding) => [
        ...findingLines(finding, page),
        ...evidenceLines(
          finding.evidence.filter((sequence) => !shown.has(sequence)),
          page,
        ),
        ...seeAbove(
          finding.evidence.filter((sequence) => shown.has(sequence)),
          page,
        ),
      ]),
  );
  return [`${paint('bold', 'Findings')} ${paint('dim', `(${counts})`)}`, ...lines, ''];
}

/** Changes that agents asked for, and how each ended. */
function repairs({ repairs: all = [] }: Report, page: RenderContext): string[] {
  const { paint, columns } = page;
  if (all.length === 0) return [];
  const lines = all.flatMap(({ node, outcome, text, decided_by: by }) => {
    const [mark, colour]: [string, Colour] = outcome === 'done' ? ['✓', 'green'] : ['✗', 'yellow'];
    // The text of a refusal names the principal that refused.
    const what = outcome === 'refused' ? text : `${outcome}: ${text}`;
    const who = by && outcome !== 'refused' ? ` (approved by ${by})` : '';
    return wrap(claim(node, `${what}${who}`, page), columns - 4).map((line, i) =>
      i === 0 ? `  ${paint(colour, mark)} ${line}` : `    ${line}`,
    );
  });
  return [paint('bold', 'Repairs'), ...lines, ''];
}

/** A finding without its evidence. */
export function findingLines(
  { node, severity, title, detail, explanation = '', origin }: Finding,
  page: RenderContext,
): string[] {
  const { paint, columns } = page;
  const [mark, colour] = SEVERITY[severity];
  const text = explanation === '' ? detail : `${detail} An agent says: ${explanation}`;
  return [
    `  ${paint(colour, mark)} ${claim(node, title, page)}${isClaim({ origin }) ? paint('dim', originNote({ origin })) : ''}`,
    ...wrap(text, columns - 4).map((line) => `    ${line}`),
  ];
}

/** The node's name and the title, unless the title begins with the name. */
function claim(node: string, title: string, { facts, paint }: RenderContext): string {
  const name = oneLine(facts.nodeName(node));
  const text = oneLine(title);
  return `${paint('bold', name)}: ${withoutName(name, text)}`;
}

/**
 * Each piece of evidence with the summary of its tool: `#12 redis_inspect on Payments Redis: memory
 * 100 % of 8 MB`.
 */
function evidenceLines(
  evidence: readonly number[],
  { facts, paint, columns }: RenderContext,
): string[] {
  return evidence.flatMap((sequence) => {
    const result = facts.results.get(sequence);
    const on = result?.node === undefined ? '' : ` on ${facts.nodeName(result.node)}`;
    const text =
      result === undefined ? `#${sequence}` : `#${sequence} ${result.tool}${on}: ${result.summary}`;
    return wrap(text, columns - 8, 3).map((line, i) =>
      paint('dim', `${i === 0 ? '    ' : '      '}${line}`),
    );
  });
}

/** Evidence that is printed with the root causes already, by its numbers. */
const seeAbove = (evidence: readonly number[], { paint }: RenderContext): string[] =>
  evidence.length === 0
    ? []
    : [paint('dim', `    see above: ${evidence.map((sequence) => `#${sequence}`).join(', ')}`)];

function unchecked(report: Report, { facts, paint, columns }: RenderContext): string[] {
  if (report.unchecked.length === 0) return [];
  const steps = (report.next_steps ?? []).map(({ text }) => text).join('\n');
  const textOf = (each: Report['unchecked'][number]) =>
    steps.includes(uncheckedText(each))
      ? `${uncheckedWords(each)}; see the next steps`
      : uncheckedText(each);
  const lines = report.unchecked.flatMap((each) =>
    wrap(`${facts.nodeName(each.node)}: ${textOf(each)}`, columns - 4).map((line, i) =>
      i === 0 ? `  ${paint('yellow', '?')} ${line}` : `    ${line}`,
    ),
  );
  return [paint('bold', 'Not checked'), ...lines, ''];
}
