import type { Brief } from '../../../domain/prompt/brief.js';
import type { LastSubject, Recovery } from './subject/earlier.js';
import type { Facts } from './facts.js';
import type { Question } from './reading/question.js';

export type OracleBrief = Extract<Brief, { role: 'oracle' }> & {
  userMessage: string;
  /** When the turn began, in ms since 1970. */
  now: number;
};

/** The input for an answer. */
export interface AnswerInput {
  brief: OracleBrief;
  question: Question;
  /** The run and the topology that the conversation discussed last. */
  before: LastSubject;
  /** The last answer offered a diagnosis of what was discussed. */
  offered: boolean;
  facts: Facts;
  /** What the last measurements of the conversation found to be no longer wrong. */
  recovered: Recovery | undefined;
  /** The conversation has measured nodes. */
  hasMeasured: boolean;
  /** The name of the node of which the conversation last reported a root cause. */
  suspect: string | undefined;
  /** The tools that may be called. */
  tools: ReadonlySet<string>;
  /** The list of the questions that can be answered. */
  help: string;
}
