import { z } from 'zod';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { ChangeReader } from './served-changes.js';

const MOST = 100;
const text = z.string().transform((value) => value.slice(0, 1_000));
const annotations = z
  .array(
    z.object({
      id: z.number(),
      time: z.number(),
      text: text.default(''),
      login: text.optional(),
      tags: z.array(text).max(1_000).nullish(),
    }),
  )
  .max(MOST);

/**
 * Reads annotations that have all tags of a selector from Grafana (`/api/annotations`); one with a
 * tag that begins with `deploy` is a deployment.
 */
export const grafanaReader: ChangeReader = {
  async read(server, { selector, window }, signal) {
    const query = new URLSearchParams({
      from: String(Math.floor(window.from)),
      to: String(Math.ceil(window.to)),
      type: 'annotation',
      limit: String(MOST),
    });
    for (const tag of selector.split(',')) query.append('tags', tag.trim());
    const path = `/api/annotations?${query.toString()}`;
    const parsed = annotations.safeParse(await askSource(server, { path }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer is not a list of annotations of Grafana');
    return parsed.data.map(({ id, time, text: message, login, tags }) => ({
      kind: tags?.some((tag) => /^deploy/i.test(tag)) ? ('deploy' as const) : ('manual' as const),
      at: time,
      id: `annotation/${id}`,
      message,
      ...(login && { author: login }),
    }));
  },
};
