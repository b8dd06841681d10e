import { z } from 'zod';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';

const MOST_TEXT = 300;
const MOST_RULES = 20_000;

const labels = z.record(z.string(), z.string());
const targets = z.object({ data: z.object({ activeTargets: z.array(z.unknown()).max(20_000) }) });
const target = z.object({ labels, lastError: z.string() });
const group = z.object({
  file: z.string().default(''),
  name: z.string().default(''),
  rules: z.array(z.unknown()),
});
const groups = z.object({ data: z.object({ groups: z.array(group).max(10_000) }) });
const broken = z.object({ name: z.string(), health: z.literal('err'), lastError: z.string() });
const rule = z.object({
  name: z.string(),
  query: z.string(),
  annotations: labels.default({}),
  alerts: z.array(z.unknown()).default([]),
});
const alert = z.object({ labels, annotations: labels.default({}) });

/** The key of a target in {@link scrapeErrors}. */
export const targetKey = ({ job = '', instance = '' }: Readonly<Record<string, string>>): string =>
  `${job} ${instance}`;

/**
 * Why targets do not answer scrapes, by {@link targetKey}: `GET /api/v1/targets?state=active`.
 * @throws SourceError; the signal's reason
 */
export async function scrapeErrors(
  server: SourceServer,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const path = '/api/v1/targets?state=active';
  const { data } = parse(targets, await askSource(server, { path }, signal));
  const errors = data.activeTargets.flatMap((each): [string, string][] => {
    const one = target.safeParse(each);
    if (!one.success || one.data.lastError === '') return [];
    return [[targetKey(one.data.labels), one.data.lastError.slice(0, MOST_TEXT)]];
  });
  return new Map(errors);
}

/** The key of an alert in {@link alertMeanings}: its labels, without those of its time series. */
export const alertKey = (of: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(of)
      .filter(([name]) => name !== 'alertstate' && name !== '__name__')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

const meaningOf = (annotations: Readonly<Record<string, string>>): string | undefined =>
  annotations['summary'] ?? annotations['description'];

/**
 * The meaning of alerts, by {@link alertKey}: their summary or description, in which Prometheus has
 * filled in labels and values. By the name of their rule: that of the rule if nothing must be
 * filled in, otherwise its expression. `GET /api/v1/rules?type=alert`.
 * @throws SourceError; the signal's reason
 */
export async function alertMeanings(
  server: SourceServer,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const path = '/api/v1/rules?type=alert';
  const { data } = parse(groups, await askSource(server, { path }, signal));
  const meanings = data.groups
    .flatMap(({ rules }) => rules)
    .slice(0, MOST_RULES)
    .flatMap((each): [string, string][] => {
      const one = rule.safeParse(each);
      if (!one.success) return [];
      const { name, query, annotations, alerts } = one.data;
      const ofRule = meaningOf(annotations) ?? query;
      const filled = alerts.slice(0, MOST_RULES).flatMap((each): [string, string][] => {
        const { labels: own, annotations: words } = alert.safeParse(each).data ?? {};
        const text = words && meaningOf(words);
        return own && text !== undefined ? [[alertKey(own), text]] : [];
      });
      return [[name, ofRule.includes('{{') ? query : ofRule], ...filled];
    });
  return new Map(meanings.map(([key, text]) => [key, text.slice(0, MOST_TEXT)]));
}

/**
 * Why rules cannot be evaluated, by `FILE;GROUP` as in the label `rule_group`: the name and the
 * error of the first rule of a group, and how many others there are. `GET /api/v1/rules`.
 * @throws SourceError; the signal's reason
 */
export async function ruleErrors(
  server: SourceServer,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { data } = parse(groups, await askSource(server, { path: '/api/v1/rules' }, signal));
  const errors = data.groups.flatMap(({ file, name, rules }): [string, string][] => {
    const found = rules.slice(0, MOST_RULES).flatMap((each) => broken.safeParse(each).data ?? []);
    const [first] = found;
    if (first === undefined) return [];
    const others = found.length === 1 ? '' : ` (and ${found.length - 1} more of the group)`;
    return [[`${file};${name}`, `${first.name}: ${first.lastError.slice(0, MOST_TEXT)}${others}`]];
  });
  return new Map(errors);
}

function parse<Value>(schema: z.ZodType<Value>, answer: unknown): Value {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new SourceError('failed', 'the answer is not a result of the Prometheus HTTP API');
}
