import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { ruleFile, type Rule } from '../domain/notifications/rule.js';
import { PromptFiles } from '../prompts/prompt-files.js';
import { FileSnapshots } from './file-snapshots.js';
import { RuleSet } from './rule-set.js';

let corner: TestRedis;
beforeAll(() => {
  Logger.overrideLogger(false);
  corner = testRedis();
});
afterAll(() => corner.close());

const rule = (id: string, expression = 'true'): Rule =>
  ruleFile.parse({
    rule: { id, name: id, description: 'For a test', version: '1.0.0', trigger: 'on_turn_start' },
    condition: { expression },
    action: { type: 'log', message: id },
  });
const pinsOf = (...rules: Rule[]) =>
  new FileSnapshots(corner.redis, corner.prefix, {
    subscribers: [],
    rules: new RuleSet(rules),
    prompts,
  });
const { prompts } = new PromptFiles();
const idsOf = async (pins: FileSnapshots, digest: string | undefined) =>
  (await pins.of(digest)).rules.active.map(({ rule: { id } }) => id);

it('returns the files that a run started with, stored once for all runs', async () => {
  const mine = pinsOf(rule('a'));
  const same = pinsOf(rule('a'));
  const other = pinsOf(rule('b'), rule('c'));
  const digest = await mine.pin();
  expect(await same.pin()).toBe(digest);
  expect(await other.pin()).not.toBe(digest);
  expect(await idsOf(other, digest)).toEqual(['a']);
  expect(await idsOf(mine, await other.pin())).toEqual(['b', 'c']);
  expect(await other.of(digest)).toBe(await other.of(digest));
  expect(await corner.redis.keys(`${corner.prefix}:{pins}:*`)).toHaveLength(2);
  expect(await corner.redis.ttl(`${corner.prefix}:{pins}:${digest}`)).toBeGreaterThan(86_400);
  expect(digest.length).toBeLessThan(40);
});

it('falls back to the files of the process if they are missing or not readable', async () => {
  const mine = pinsOf(rule('mine'));
  await corner.redis.set(
    `${corner.prefix}:{pins}:later`,
    '{"subscribers":[],"rules":[{"rule":{"trigger":"on_full_moon"}}]}',
  );
  await corner.redis.set(
    `${corner.prefix}:{pins}:odd`,
    JSON.stringify({ subscribers: [], rules: [rule('x', 'no such ((')] }),
  );
  for (const digest of [undefined, 'gone', 'later', 'odd'])
    expect(await idsOf(mine, digest)).toEqual(['mine']);
});

it('a run keeps the prompts that it began with', async () => {
  const texts = { ...prompts.texts, worker: 'You look.' };
  const files = { subscribers: [], rules: new RuleSet([]), prompts: { ...prompts, texts } };
  const mine = new FileSnapshots(corner.redis, corner.prefix, files);
  const other = pinsOf(rule('other'));
  expect((await other.of(await mine.pin())).prompts.texts.worker).toBe('You look.');
  // A service without prompts in its files wrote these.
  await corner.redis.set(`${corner.prefix}:{pins}:old`, '{"subscribers":[],"rules":[]}');
  expect((await mine.of('old')).prompts.texts.worker).toBe('You look.');
});
