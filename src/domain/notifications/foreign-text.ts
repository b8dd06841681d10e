import type { AgentEvent } from './agent-event.js';
import type { NotificationState } from './notification-state.js';
import { placesOf } from './template.js';

/** Keys of payloads whose text comes from outside: from tools, other agents or a person. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['query.start', 'message'],
  ['tool.call.failure', 'error'],
  ['tool.call.timeout', 'error'],
  ['subagent.end', 'summary'],
]);

const isForeignKey = ({ type, foreign = [] }: AgentEvent, key: string | undefined): boolean =>
  key !== undefined && (foreign.includes(key) || FOREIGN.get(type) === key);

/** Whether a subscriber's template shows text from outside. */
export const showsForeign = (template: string, event: AgentEvent): boolean =>
  placesOf(template).some(([root, key]) => root === 'payload' && isForeignKey(event, key));

/** Whether a rule's template shows text from outside. */
export const ruleShowsForeign = (
  template: string,
  event: AgentEvent,
  { foreign = [] }: Pick<NotificationState, 'foreign'>,
): boolean =>
  placesOf(template).some(([root, key = '', of]) => {
    switch (root) {
      case 'result':
        return key === 'result' || key === 'error';
      case 'history':
        return key === 'messages';
      case 'event':
        return key === 'payload' && isForeignKey(event, of);
      case 'state':
        return foreign.includes(key);
      default:
        return false;
    }
  });
