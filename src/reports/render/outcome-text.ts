import type { NextStep, Report, RootCause } from '../../domain/diagnosis/finding.js';
import { clip } from '../../lib/text.js';
import type { Outcome } from '../outcome.js';

const MOST_CAUSES = 3;
const MOST_FINDINGS = 10;
const MOST_STEPS = 5;
const MOST_EVIDENCE = 3;
const LINE_CHARACTERS = 500;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu;

/** A line of a message: what it is about, what it says, a command, and lines below it. */
export interface Item {
  about?: string;
  text: string;
  command?: string;
  below: string[];
}

/** A message about an outcome, without the markup of any chat. Each text is one bounded line. */
export interface OutcomeText {
  title: string;
  impact: string;
  sections: { title: string; items: Item[] }[];
  /** Where the whole run is shown; undefined if the service does not know its public address. */
  url?: string;
}

const line = (text: string): string =>
  clip(
    text
      .slice(0, 4 * LINE_CHARACTERS)
      .replaceAll(UNSEEN, ' ')
      .trim(),
    LINE_CHARACTERS,
  );

/** @param publicUrl address of the service as people reach it */
export function textOf(outcome: Outcome, publicUrl: string | undefined): OutcomeText {
  const { report, topologyName, headline, runId } = outcome;
  return {
    title: line(`${topologyName}: ${headline}`),
    impact: line(report?.impact ?? ''),
    sections: report ? sectionsOf(report) : [],
    ...(publicUrl !== undefined && { url: `${publicUrl}/console/runs/${runId}` }),
  };
}

function sectionsOf(report: Report): OutcomeText['sections'] {
  const { root_causes: causes, findings, next_steps: steps = [], unchecked } = report;
  const worse = findings.filter(({ severity }) => severity !== 'info');
  const sections = [
    section('Root causes', causes, MOST_CAUSES, (cause) => causeItem(cause, report)),
    section('Findings', worse, MOST_FINDINGS, ({ node, severity, title }) => ({
      ...{ about: line(node), text: line(`${severity}: ${title}`), below: [] },
    })),
    section('Next steps', steps, MOST_STEPS, stepItem),
    section('Not checked', unchecked, MOST_STEPS, ({ node, reason, detail }) => ({
      ...{ about: line(node), text: line(detail ?? reason), below: [] },
    })),
  ];
  return sections.filter(({ items }) => items.length > 0);
}

function section<T>(title: string, all: readonly T[], most: number, item: (each: T) => Item) {
  const items = all.slice(0, most).map(item);
  const more = all.length - items.length;
  return { title, items: more > 0 ? [...items, { text: `and ${more} more`, below: [] }] : items };
}

function causeItem(cause: RootCause, { citations = [] }: Report): Item {
  const { node, title, confidence, chain = [], evidence } = cause;
  const cited = evidence
    .slice(0, MOST_EVIDENCE)
    .flatMap((sequence) => citations.find((each) => each.sequence === sequence) ?? []);
  return {
    about: line(node),
    text: line(`${title}, ${Math.round(confidence * 100)} % sure`),
    below: [
      ...(chain.length > 1 ? [line(`Chain: ${chain.join(' → ')}`)] : []),
      ...cited.map(({ sequence, tool, summary }) => line(`#${sequence} ${tool}: ${summary}`)),
    ],
  };
}

const stepItem = ({ text, access, command, origin }: NextStep): Item => ({
  about: access === 'change' ? 'Change' : 'Look',
  text: line(origin === 'agent' ? `${text} (proposed by an agent, not checked)` : text),
  ...(command !== undefined && { command: line(command) }),
  below: [],
});
