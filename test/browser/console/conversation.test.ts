import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ModelScene } from '../../support/models/model-scene.js';
import { answer, begin, refuse } from '../../support/models/provider-server.js';
import { until } from '../../support/until.js';
import { ConsoleScene } from './console-scene.js';

const models = new ModelScene();
let scene: ConsoleScene;
beforeAll(async () => {
  await models.open(begin({ text: 'Half of an answer' }));
  scene = await ConsoleScene.open(models.hosted());
});
afterAll(async () => {
  await scene?.close();
  await models.close();
});

test('13: Stop ends the answer at the provider, and keeps what was said', async () => {
  const { page, problems } = await scene.page('/conversations/new');
  await page.getByLabel('Question to the oracle').fill('Is it well?');
  await page.keyboard.press('Enter');
  const said = page.getByText('Half of an answer');
  await said.waitFor();
  await page.getByRole('button', { name: 'Stop the answer' }).click();
  await page.getByText('Stopped. The answer so far is kept.').waitFor();
  await until('the call is given up', () => models.server.open === 0);
  await page.goto(`${scene.api.url}/console/conversations`);
  await page.locator('.conv').first().click();
  await said.waitFor();
  await page.getByText('the answer so far is kept').waitFor();
  expect(problems).toEqual([]);
  await page.context().close();
});

test('8: a wait for a provider is said in a conversation with what is left, and ends by itself', async () => {
  const headers = { 'retry-after': '3' };
  models.server.script(
    refuse(429, { type: 'rate_limit_exceeded', headers }),
    answer({ text: 'All is well.' }, { end: 'stop' }),
  );
  const { page, problems } = await scene.page('/conversations/new');
  await page.getByLabel('Question to the oracle').fill('Is it well?');
  await page.keyboard.press('Enter');
  const wait = page.locator('.sys-retry');
  await wait.getByText(/[12]\.\d+ s left$/).waitFor();
  await page.getByText('All is well.').waitFor();
  await wait.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  await page.context().close();
});

const RUN = '0197f000-0000-7000-8000-00000000000f';
const MARKDOWN = [
  `See run ${RUN}, events 3 and 5:`,
  '',
  '1. **Look**: run `redis-cli INFO`',
  '2. <b>Change</b> it\\*',
  '',
  '- 7: http_probe answers **500**',
].join('\n');

test('13: an answer is read as Markdown without HTML, and gone on from at once', async () => {
  models.server.script(answer({ text: MARKDOWN }, { end: 'stop' }));
  const { page, problems } = await scene.page('/conversations/new');
  await page.getByLabel('Question to the oracle').fill('What next?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'go on from here' }).waitFor();
  const said = page.locator('.said');
  const textsOf = (what: string) => said.locator(what).allInnerTexts();
  expect(await textsOf('ol > li')).toEqual(['Look: run redis-cli INFO', '<b>Change</b> it*']);
  expect(await textsOf('ul > li')).toEqual(['#7 http_probe answers 500']);
  expect(await textsOf('b')).toEqual(['Look', '500']);
  expect(await textsOf('code')).toEqual(['redis-cli INFO']);
  expect(await textsOf('.cite')).toEqual(['0197f000…000f', '#3', '#5', '#7']);
  const hrefs = await said.locator('.cite').evaluateAll((links) => links.map(String));
  expect(hrefs[3]).toBe(`${scene.api.url}/console/runs/${RUN}#7`);
  expect(problems).toEqual([]);
  await page.context().close();
});

test('13: the oracle opens a run at an event, as it was at another', async () => {
  const page = `runs/${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}?at=3#5`;
  models.server.script(
    answer({ call: 'navigate_to_page', args: JSON.stringify({ page }) }, { end: 'tool-calls' }),
    answer({ text: 'There it is.' }, { end: 'stop' }),
  );
  const { page: shown } = await scene.page('/conversations/new');
  await shown.getByLabel('Question to the oracle').fill('Where did it begin?');
  await shown.keyboard.press('Enter');
  await shown.waitForURL(`${scene.api.url}/console/${page}`);
  await shown.context().close();
});

test('13: what is typed after a branch begins, or after an offered question, is a question', async () => {
  models.server.script(
    answer({ text: 'First answer' }, { end: 'stop' }),
    answer({ text: 'Second answer' }, { end: 'stop' }),
    answer({ text: 'Third answer' }, { end: 'stop' }),
  );
  const { page } = await scene.page('/conversations/new');
  await page.getByRole('button', { name: 'Which runs failed?' }).click();
  await page.getByText('First answer').waitFor();
  await page.getByRole('button', { name: 'go on from here' }).waitFor();
  await page.keyboard.type('then?');
  await page.keyboard.press('Enter');
  await page.getByText('Second answer').waitFor();
  const forks = page.getByRole('button', { name: 'go on from here' });
  await until('both exchanges are stored', async () => (await forks.count()) === 2);
  await forks.first().click();
  const note = page.getByText('The next question begins a branch after this answer.');
  await note.waitFor();
  const [noteAt, fieldAt] = await page.evaluate<[number, number]>(`(() => {
    const left = (element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().left;
    };
    return [left(document.querySelector('.branch-note')), left(document.querySelector('.composer'))];
  })()`);
  expect(Math.abs(noteAt - fieldAt)).toBeLessThan(1);
  await page.getByRole('button', { name: 'Back to the latest answer' }).click();
  await page.getByText('Second answer').waitFor();
  await forks.first().click();
  await page.keyboard.type('that?');
  await page.keyboard.press('Enter');
  await page.getByText('Third answer').waitFor();
  expect(await page.locator('.msg-me p').allInnerTexts()).toEqual(['Which runs failed?', 'that?']);
  expect(await note.count()).toBe(0);
  await page.context().close();
});
