import type { StreamFormat } from '../stream-format.js';
import { encoder } from './encoder.js';
import { schema } from './schema.js';

/** `useChat` of the AI SDK: UI message stream v1. */
export const aiSdk: StreamFormat = {
  encoder,
  frames: schema,
  ends: { completed: 'finish', failed: 'finish', cancelled: 'abort' },
  sentinel: '[DONE]',
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  hasParts: true,
};
