import { z } from 'zod';
import type { Change, ToolRecording } from '../../domain/telemetry/records.js';

const MOST_DIFF = 262_144;

const optionalText = (most = 10_000) =>
  z
    .union([z.string(), z.number(), z.boolean()])
    .nullish()
    .transform((value) =>
      value === null || value === undefined ? undefined : String(value).slice(0, most),
    );

const change = z.object({
  kind: z.enum(['commit', 'deploy', 'flag', 'config', 'infra', 'manual']),
  time: z.string(),
  id: optionalText(),
  node: optionalText(),
  author: optionalText(),
  message: optionalText(),
  files: z.array(z.string().max(1_000)).max(5_000).optional(),
  diff: optionalText(MOST_DIFF),
  commit: optionalText(),
  version: optionalText(),
  flag: optionalText(),
  from: optionalText(),
  to: optionalText(),
  failed: z.boolean().optional(),
});

/** A line of changes/*. */
export function changeIn(value: unknown): Change | undefined {
  const parsed = change.safeParse(value);
  if (!parsed.success) return undefined;
  const { time, kind, ...rest } = parsed.data;
  const at = Date.parse(time);
  if (Number.isNaN(at)) return undefined;
  const present = Object.entries(rest).filter(([, field]) => field !== undefined);
  return { kind, at, ...Object.fromEntries(present) };
}

const recording = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  status: z.string().default('success'),
  output: z.string(),
});

/** A line of recordings/*. */
export function recordingIn(value: unknown): ToolRecording | undefined {
  const parsed = recording.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

const list = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  kind: z.string().optional(),
});
const metadata = z.looseObject({ name: z.string(), namespace: z.string().optional() });

/**
 * `{kind: "PodList"}`, and a Status with reason Forbidden: an answer to a list call that was
 * refused.
 */
const listAnswer = z.looseObject({
  kind: z.string().default(''),
  reason: z.string().optional(),
  details: z.looseObject({ kind: z.string() }).optional(),
});

const labelled = z.object({
  cluster: z.object({ source: z.string(), namespaces: z.array(z.string()) }),
});

/**
 * The cluster whose answer a capture has read, by the id of its source, and the namespaces;
 * undefined if nothing states it.
 */
export const clusterIn = (value: unknown): z.infer<typeof labelled>['cluster'] | undefined =>
  labelled.safeParse(value).data?.cluster;

/** The kinds that an answer of the Kubernetes API lists, or refuses to list. */
export function kubernetesListIn(value: unknown): { kinds: string[]; refused?: string } {
  const parsed = listAnswer.safeParse(value);
  const { kind = '', reason, details } = parsed.data ?? {};
  if (kind === 'Status' && reason === 'Forbidden' && details)
    return { kinds: [], refused: details.kind };
  const own = kind.endsWith('List') ? [kind.replace(/List$/, '')] : [];
  const kinds = [...own, ...kubernetesObjectsIn(value).map((each) => each.kind)];
  return { kinds: kinds.filter((each) => each !== '') };
}

/** The objects of a `kubectl get … -o json`: a List, or a single object. */
export function kubernetesObjectsIn(value: unknown) {
  const parsed = list.safeParse(value);
  const items = parsed.success ? parsed.data.items : [value];
  return items.flatMap((item) => {
    const object = z.looseObject({ kind: z.string().default(''), metadata }).safeParse(item);
    if (!object.success) return [];
    const { name, namespace } = object.data.metadata;
    const kind = object.data.kind || (parsed.data?.kind ?? '').replace(/List$/, '');
    return [{ kind, name, ...(namespace !== undefined && { namespace }), object: object.data }];
  });
}
