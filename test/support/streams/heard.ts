import { framesOf } from './encode.js';

/** A frame as readers of event streams return it. */
export interface Heard {
  event: string;
  id: string;
  data: string;
}

/** The frames that a reader must find in a stream. */
export const heard = (text: string): Heard[] =>
  framesOf(text).map((frame) => ({
    event: /^event: (.*)$/m.exec(frame)?.[1] ?? 'message',
    id: /^id: (.*)$/m.exec(frame)?.[1] ?? '',
    data: /^data: (.*)$/m.exec(frame)?.[1] ?? '',
  }));
