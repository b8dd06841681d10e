import { agUi } from './ag-ui/ag-ui.js';
import { agent } from './agent/agent.js';
import { aiSdk } from './ai-sdk/ai-sdk.js';
import { chat } from './chat/chat.js';
import type { Encoder } from './encoder.js';
import { flat } from './flat/flat.js';
import type { Format } from './format.js';
import { oracle } from './oracle/oracle.js';

/** How each format is made of the log. `executor` is the log as it is. */
export const ENCODERS: Record<Exclude<Format, 'executor'>, Encoder<unknown>> = {
  flat,
  oracle,
  agent,
  chat,
  'ag-ui': agUi,
  'ai-sdk': aiSdk,
};
