import { z } from 'zod';
import type { Change } from '../../domain/telemetry/records.js';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { ChangeReader } from './served-changes.js';

const text = z.string().transform((value) => value.slice(0, 1_000));
const time = z.iso.datetime({ offset: true }).transform((value) => Date.parse(value));
const source = z.object({ targetRevision: text.optional() }).optional();
const application = z.object({
  status: z.object({
    history: z
      .array(
        z.object({
          id: z.number(),
          deployedAt: time,
          revision: text.optional(),
          source,
          revisions: z.array(text).max(100).optional(),
        }),
      )
      .max(1_000)
      .default([]),
    operationState: z
      .object({ phase: text, message: text.default(''), finishedAt: time.optional() })
      .optional(),
  }),
});

/**
 * Reads the history of an application from Argo CD (`/api/v1/applications/NAME`, of another
 * namespace with `appNamespace`:
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/app-any-namespace/); a failed sync is a
 * change, too.
 */
export const argocdReader: ChangeReader = {
  async read(server, { selector }, signal) {
    const [name = '', namespace] = selector.split('/').toReversed();
    const query =
      namespace === undefined
        ? ''
        : `?${new URLSearchParams({ appNamespace: namespace }).toString()}`;
    const path = `/api/v1/applications/${encodeURIComponent(name)}${query}`;
    const parsed = application.safeParse(await askSource(server, { path }, signal));
    if (!parsed.success)
      throw new SourceError('failed', 'the answer is not an application of the API of Argo CD');
    const { history, operationState } = parsed.data.status;
    const changes = history.map(({ id, deployedAt, revision, revisions, source: from }) => {
      const commit = revision ?? revisions?.join(', ');
      return {
        kind: 'deploy' as const,
        at: deployedAt,
        id: `${selector}@${id}`,
        ...(commit && { commit }),
        ...(from?.targetRevision !== undefined && { version: from.targetRevision }),
        message: `Argo CD deployed ${selector}`,
      };
    });
    return [...changes, ...failedSync(selector, operationState)];
  },
};

function failedSync(
  name: string,
  state: z.infer<typeof application>['status']['operationState'],
): Omit<Change, 'node'>[] {
  if (state?.finishedAt === undefined || !['Failed', 'Error'].includes(state.phase)) return [];
  const message = `Argo CD could not sync ${name}: ${state.message}`;
  return [{ kind: 'deploy', at: state.finishedAt, id: `${name}@failed`, message, failed: true }];
}
