import { framesOf } from './encode.js';

/** A frame as readers of event streams give it. */
export interface Heard {
  event: string;
  id: string;
  data: string;
}

/** What a reader must make of a stream. */
export const heard = (text: string): Heard[] =>
  framesOf(text).map((frame) => ({
    event: /^event: (.*)$/m.exec(frame)?.[1] ?? 'message',
    id: /^id: (.*)$/m.exec(frame)?.[1] ?? '',
    data: /^data: (.*)$/m.exec(frame)?.[1] ?? '',
  }));
