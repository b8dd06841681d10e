import { agUi } from './ag-ui/format.js';
import { agent } from './agent/format.js';
import { aiSdk } from './ai-sdk/format.js';
import { chat } from './chat/format.js';
import { executor } from './executor/format.js';
import { flat } from './flat/format.js';
import { oracle } from './oracle/format.js';
import type { StreamFormat } from './stream-format.js';

/**
 * Every format that a run can be streamed in, by the name that `?format=` and `STREAM_FORMAT` use.
 */
const FORMATS_BY_NAME = {
  executor,
  flat,
  oracle,
  agent,
  chat,
  'ag-ui': agUi,
  'ai-sdk': aiSdk,
} satisfies Record<string, StreamFormat>;

export type Format = keyof typeof FORMATS_BY_NAME;

/** The names of all formats; `executor`, the default, is the first. */
export const FORMATS = Object.keys(FORMATS_BY_NAME) as [Format, ...Format[]];

export const isFormat = (name: unknown): name is Format =>
  (FORMATS as readonly unknown[]).includes(name);

export const formatOf = (name: Format): StreamFormat => FORMATS_BY_NAME[name];
