import { mentions } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { understoodOf } from './earlier.js';
import { hasWholeName, namedBy } from './named.js';
import { readQuestion, type Remark } from '../reading/question.js';

/** Maximum of earlier questions that a question about several of them may mean. */
const BACK = 4;

/**
 * Refers to several subjects that the questions before named: "which one of them is down?", "are
 * both ok?"
 */
const OF_SEVERAL =
  /\b(?:which(?: ones?)?(?: of (?:them|those|these|the two|both))?(?= (?:is|are|was|were|has|have)\b)|(?:either|both|all|any|none)(?: of (?:them|those|these|the two))|both\b)/;

interface Subject {
  name: string;
  isTopology: boolean;
}

/**
 * Writes the subjects of the questions before into a question that means several of them. They are
 * all topologies or all nodes: otherwise it is not clear what is meant.
 * @param remarks earlier texts of the conversation, oldest first
 */
export function withSeveral(asked: AnswerInput, remarks: readonly Remark[]): AnswerInput {
  const { question, brief } = asked;
  const [phrase] = OF_SEVERAL.exec(question.text) ?? [];
  if (phrase === undefined || hasOwn(namedIn(asked, question.text))) return asked;
  const subjects = subjectsBefore(asked, remarks);
  const isMixed = new Set(subjects.map(({ isTopology }) => isTopology)).size > 1;
  if (subjects.length < 2 || isMixed) return asked;
  const names = subjects.map(({ name }) => name).join(' and ');
  const text = /^which/.test(phrase) ? `which of ${names}` : names;
  return { ...asked, question: readQuestion(question.text.replace(phrase, text), brief.now) };
}

/** Whether a question names several itself, or a node: "are both A and B down?" */
const hasOwn = (named: readonly Subject[]): boolean =>
  named.length > 1 || named.some(({ isTopology }) => !isTopology);

/**
 * Returns what the last questions named, oldest first: those of one question that names several,
 * else those of all of them.
 */
function subjectsBefore(asked: AnswerInput, remarks: readonly Remark[]): Subject[] {
  const questions = understoodOf(remarks)
    .filter(({ by }) => by === 'person')
    .slice(-BACK);
  let found: Subject[] = [];
  for (const { text } of questions.toReversed()) {
    // It is about the subjects before it, too.
    if (OF_SEVERAL.test(text.toLowerCase())) continue;
    const named = namedIn(asked, text);
    if (named.length === 0) break;
    if (named.length > 1) return found.length === 0 ? named : found;
    found = unique([...named, ...found]);
  }
  return found;
}

function namedIn(asked: AnswerInput, text: string): Subject[] {
  const question = readQuestion(text, asked.brief.now);
  return unique(
    namedBy({ ...asked, question }).flatMap((each): Subject[] =>
      hasWholeName(each)
        ? [{ name: each.name.toLowerCase(), isTopology: true }]
        : each.named
            .filter((name) => !mentions(each.name.toLowerCase(), name))
            .map((name) => ({ name: name.toLowerCase(), isTopology: false })),
    ),
  );
}

const unique = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((each) => [each.name, each])).values(),
];
