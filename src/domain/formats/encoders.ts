import { agUi } from './ag-ui.js';
import { agent } from './agent.js';
import { aiSdk } from './ai-sdk.js';
import { chat } from './chat.js';
import type { Encoder } from './encoder.js';
import { flat } from './flat.js';
import type { Format } from './format.js';
import { oracle } from './oracle.js';

/** Nobody but the encoder itself looks into its state. */
const sealed = <State>(encoder: Encoder<State>): Encoder<unknown> => encoder as unknown as Encoder<unknown>;

/** How each format is made of the log. `executor` is the log as it is. */
export const ENCODERS: Record<Exclude<Format, 'executor'>, Encoder<unknown>> = {
  flat: sealed(flat),
  oracle: sealed(oracle),
  agent: sealed(agent),
  chat: sealed(chat),
  'ag-ui': sealed(agUi),
  'ai-sdk': sealed(aiSdk),
};
