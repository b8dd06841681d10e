import { eventText } from '../../domain/events/event-text.js';
import type { Encoder } from '../encoder.js';

const DATA = '"},"data":';

/**
 * Adds flat keys to the event of the log. The JSON of the log is reused unchanged, not serialised
 * again.
 */
export const encoder: Encoder<null> = {
  start: null,
  next(state, event, json) {
    const { source, run_id: runId, name: type } = event;
    const keys = {
      type,
      runId,
      agentId: source?.agent_id ?? null,
      agentName: source?.agent_name ?? null,
      agentType: source?.agent_type ?? null,
      teamName: source?.team_name ?? null,
      content: eventText(event),
    };
    const metadata = json.slice(json.indexOf(DATA) + DATA.length, -1);
    return [
      state,
      [
        {
          event: type,
          data: `${json.slice(0, -1)},${JSON.stringify(keys).slice(1, -1)},"metadata":${metadata}}`,
        },
      ],
    ];
  },
};
