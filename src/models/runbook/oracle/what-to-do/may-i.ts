import { isClaim } from '../../../../domain/diagnosis/finding.js';
import { withName } from '../../../../domain/diagnosis/wording.js';
import { escapeMarkdown } from '../../../../lib/markdown.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { aboutTopic } from '../details/about-topic.js';
import { isAbout, topicIn } from '../details/topics.js';
import { elsewhereIfWell } from '../answers/elsewhere.js';
import { oneOf } from '../intents/patterns.js';
import { everywhere } from '../answers/others.js';
import { overLines } from '../over-time/past-failure.js';
import { dependentsText } from '../replies/lists.js';
import type { MarkdownText } from '../replies/markdown-text.js';
import {
  fewOf,
  foundText,
  nameOf,
  runLine,
  shortened,
  thenLine,
  uncheckedLines,
} from '../replies/report.js';
import { isSaid } from '../subject/subject.js';
import { newestFor, nextSteps } from './next-steps.js';
import { nodesMeant } from './nodes-meant.js';

/** A person asks about an action of their own: "can I", "should we". "Can you" is an order. */
const MAY_I = oneOf(
  /(?:can|could|may|might|should|shall|must) (?:i|we)/,
  /do (?:i|we) (?:have|need) to/,
  /(?:is|would) it (?:be )?(?:ok|okay|all ?right|fine|wise|a good idea) (?:to|if (?:i|we)|for (?:me|us) to)/,
  /(?:is|would) it (?:be )?safe if (?:i|we)/,
  /(?:would|will|does|could) it help (?:to|if (?:i|we))/,
);
/** To do nothing about it, or to stop doing so. */
const NEGLECT = oneOf(/ignore|skip|wait|leave|close|dismiss|forget|snooze|postpone/);
const BEFORE = '^\\W*(?:(?:so|and|but|ok|okay|then)\\W+)*';
const ADVERBS = '(?:just |now |also |simply |safely |really )*';

/** "Can I ignore it?" */
export const MAY_NEGLECT = new RegExp(`${BEFORE}${MAY_I} ${ADVERBS}${NEGLECT}\\b`);

/** Actions that change something. */
const ACTION =
  '(restart|reboot|reload|redeploy|deploy|roll ?back|revert|undo|scale|kill|drain|stop|start|fail ?over|patch|upgrade|flush|purge|renew|rotate|replace|add)';

/** "Can I restart it?", "should we scale it up?", "will restarting it help?" */
export const MAY_ACT = new RegExp(
  `${BEFORE}${MAY_I} ${ADVERBS}${ACTION}\\b|${BEFORE}(?:would|will|does|could) (?:an? |the )?${ACTION}(?:p?ing|s)?\\b.*\\bhelp\\b`,
);

/** Says whether something was found that needs attention. It is no decision. */
export function mayNeglect(asked: AnswerInput): string | MarkdownText {
  if (!isSaid(asked)) return everywhere(asked);
  const { question } = asked;
  const found = newestFor(asked);
  const { report } = found.run;
  const topic = topicIn(question.asks);
  const nodes = nodesMeant(question, found);
  const wrong = (report?.findings ?? []).filter(
    (each) =>
      each.severity !== 'info' &&
      !isClaim(each) &&
      (nodes.length === 0 || nodes.some(({ id }) => id === each.node)) &&
      (topic === undefined || isAbout(topic, each)),
  );
  if (topic !== undefined && wrong.length === 0) return aboutTopic(asked);
  const unchecked = report === null ? [] : uncheckedLines(found);
  const at = wrong.map(({ node }) => node);
  const { shape } = found;
  const affected = shape?.nodes.filter(({ id }) => at.includes(id)).slice(0, 1) ?? [];
  const judgement =
    wrong.length > 0
      ? 'I would not: this was found, and needs attention.'
      : report === null || (report.verdict !== 'healthy' && nodes.length === 0)
        ? 'I cannot tell.'
        : 'Nothing that needs attention was found.';
  return [
    judgement,
    ...shortened(wrong.map((each) => `- ${withName(nameOf(found, each.node), foundText(each))}`)),
    ...(shape ? affected.map((node) => dependentsText(node, shape)) : []),
    ...(wrong.length > 0 ? [] : [...overLines(asked, found, nodes), ...unchecked]),
    runLine(found.run),
    thenLine(found.run),
    ...(wrong.length > 0 ? [] : elsewhereIfWell(asked, found)),
  ].join('\n');
}

/**
 * Says whether a next step of the report is what a person wants to do, and what depends on the
 * nodes of it; then all steps.
 */
export function mayAct(asked: AnswerInput): MarkdownText {
  const [, one, other] = MAY_ACT.exec(asked.question.asks) ?? [];
  const verb = one ?? other ?? '';
  const steps = nextSteps(asked);
  const found = newestFor(asked);
  const { shape } = found;
  const nodes = shape ? nodesMeant(asked.question, found) : [];
  const isStep = steps.markdown
    .split('\n')
    .some(
      (line) =>
        new RegExp(`^\\d+\\. .*\\b${verb}`, 'i').test(line) &&
        (nodes.length === 0 || nodes.some(({ name }) => line.includes(name))),
    );
  const names = fewOf(nodes.map(({ name }) => name));
  const what = [verb, ...(names.length > 0 ? [list(names, isStep ? 'and' : 'or')] : [])].join(' ');
  const lines = [
    isStep
      ? `A next step of the report is to ${what}.`
      : `No next step of the report is to ${what}.`,
    ...(shape ? nodes.map((node) => dependentsText(node, shape)) : []),
  ];
  return { markdown: `${escapeMarkdown(lines.join(' '))}\n\n${steps.markdown}` };
}
