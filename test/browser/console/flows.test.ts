import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { TcpProxy } from '../../support/processes/tcp-proxy.js';
import { keepScreenshot } from '../screenshot.js';
import { ConsoleScene } from './console-scene.js';

let scene: ConsoleScene;
let runId: string;
let topologyId: number;
beforeAll(async () => {
  scene = await ConsoleScene.open();
  topologyId = await scene.brokenShop();
  ({ runId } = await (await scene.api.trigger(topologyId)).end());
});
afterAll(() => scene?.close());

test('1: a run is started, followed live, and ends with the root cause in its heading', async () => {
  const { page, problems } = await scene.page(`/diagnose?topology=${topologyId}`);
  await page.getByLabel('What is wrong').fill('No customer can pay.');
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/console\/runs\/[0-9a-f-]{36}$/);
  await page.locator('h1', { hasText: 'The bank' }).waitFor();
  await page.getByText('The end').waitFor();
  const policy = (await fetch(page.url())).headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toContain('unsafe');
  await keepScreenshot(page, 'console-run');
  expect(problems).toEqual([]);
  await page.context().close();
});

/** What is read here of an event of a log. */
interface Logged {
  sequence: number;
  event: { action: string };
  data: {
    tool_call_id?: string;
    node?: string;
    report?: { root_causes: Claim[]; findings: Claim[] };
  };
}
interface Claim {
  node: string;
  title: string;
  evidence: number[];
}

test('2: each piece of evidence opens the result that it cites, and [ and ] go through all of them', async () => {
  const { page, problems } = await scene.page(`/runs/${runId}`);
  const log = (await scene.api.log(runId))
    .split('\n\n')
    .flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? [])
    .map((data) => JSON.parse(data) as Logged);
  const { root_causes: causes = [], findings = [] } = log.at(-1)?.data.report ?? {};
  const resultOf = (seq: number) => log.find(({ sequence }) => sequence === seq);
  await page.locator('.report .evid').first().waitFor();
  const cards = [
    ...causes.map((claim) => ({ claim, card: page.locator('.cause', { hasText: claim.title }) })),
    ...findings.map((claim) => ({
      claim,
      card: page.locator('.finding', { hasText: `The ${claim.node} ${claim.title}` }),
    })),
  ];
  const shown = async (seq: number): Promise<void> => {
    await page.getByRole('article', { name: `Event ${seq}` }).waitFor();
    const json = await page.locator('.json pre').textContent();
    const { event, data } = JSON.parse(json ?? '') as Logged;
    expect([event.action, data.tool_call_id]).toEqual([
      'tool_result',
      resultOf(seq)?.data.tool_call_id,
    ]);
  };
  let clicked = 0;
  for (const { claim, card } of cards) {
    // What the card of a cause says is not said again.
    if ((await card.count()) === 0) continue;
    const chips = card.first().locator('.evid b');
    // Each card has what its claim cites, and no other: a result of the node that it is about.
    expect(await chips.allInnerTexts()).toEqual(claim.evidence.map((seq) => `#${seq}`));
    for (const [i, seq] of claim.evidence.entries()) {
      await chips.nth(i).click();
      await shown(seq);
      expect(resultOf(seq)?.data.node).toBe(claim.node);
      await page.keyboard.press('Escape');
      await chips.nth(i).waitFor();
      clicked++;
    }
  }
  expect(clicked).toBeGreaterThan(causes.length);
  const cited = new Set([...causes, ...findings].flatMap(({ evidence }) => evidence));
  const walk = async (key: string): Promise<number[]> => {
    const seen: number[] = [];
    for (let i = 0; i < cited.size; i++) {
      const before = page.url();
      await page.keyboard.press(key);
      await page.waitForURL((url) => url.href !== before);
      const seq = Number(new URL(page.url()).hash.slice(1));
      await shown(seq);
      seen.push(seq);
    }
    return seen;
  };
  const forth = await walk(']');
  expect(new Set(forth)).toEqual(cited);
  const back = await walk('[');
  // From the last one back to the first, and round to the last.
  expect(back).toEqual([...forth.toReversed().slice(1), forth.at(-1)]);
  expect(problems).toEqual([]);
  await page.context().close();
});

test('12: the address restores event, node, replay position, view and filter, and Back goes back', async () => {
  const { page } = await scene.page(`/runs/${runId}?at=8&view=log&show=tools`);
  await page.getByText('As it was at #8').waitFor();
  expect(await page.getByRole('tab', { name: /Log/ }).getAttribute('aria-selected')).toBe('true');
  expect(await page.getByRole('button', { name: 'Tools' }).getAttribute('aria-pressed')).toBe(
    'true',
  );
  await page.getByRole('button', { name: /^The mail/ }).click();
  await page.waitForURL(/node=mail/);
  await page.reload();
  await page.getByText('As it was at #8').waitFor();
  await page.getByRole('article', { name: 'Node The mail' }).waitFor();
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes('node='));
  await page.context().close();
});

test('12: a reload restores the event, and the filters of the list', async () => {
  const { page } = await scene.page(`/runs/${runId}#8`);
  await page.getByRole('article', { name: 'Event 8' }).waitFor();
  await page.reload();
  await page.getByRole('article', { name: 'Event 8' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#8');
  await page.goto(`${scene.api.url}/console/runs`);
  const filters = page.getByRole('group', { name: 'Filters' });
  const completed = filters.getByRole('button', { name: 'Completed', exact: true });
  const kind = filters.getByRole('combobox', { name: 'Kind' });
  const topology = filters.getByRole('combobox', { name: 'Topology' });
  const search = filters.getByLabel('Search in runs');
  await completed.click();
  await kind.selectOption('all');
  await topology.selectOption(String(topologyId));
  await search.fill('bank');
  await page.waitForURL(/q=bank/);
  const filtered = page.url();
  for (const part of ['status=completed', 'kind=all', `topology=${topologyId}`])
    expect(filtered).toContain(part);
  await page.reload();
  await page.locator('.rrow .rlink').first().waitFor();
  expect(page.url()).toBe(filtered);
  expect(await search.inputValue()).toBe('bank');
  expect(await kind.inputValue()).toBe('all');
  expect(await topology.inputValue()).toBe(String(topologyId));
  expect(await completed.getAttribute('aria-pressed')).toBe('true');
  await page.locator('.rrow .rlink').first().click();
  await page.waitForURL(/runs\/[0-9a-f-]{36}/);
  await page.goBack();
  await page.waitForURL(filtered);
  await page.context().close();
});

test('3: a replay shows nothing that was found later', async () => {
  const { page } = await scene.page(`/runs/${runId}?at=3`);
  await page.getByText('As it was at #3').waitFor();
  expect(await page.locator('.gnode.h-unknown').count()).toBe(4);
  expect(await page.getByText('Nothing found so far').count()).toBe(1);
  await page.keyboard.press('End');
  await page.locator('.gnode.h-root').waitFor();
  await page.keyboard.press('Home');
  await page.getByText('As it was at #1', { exact: true }).waitFor();
  expect(await page.locator('.gnode.h-root').count()).toBe(0);
  await page.context().close();
});

test('5: a cancelled run gives a receipt, another page sees it end, and 409 is shown', async () => {
  const behaviour = held(healthy);
  const web = await httpTarget(scene.scene.targets, behaviour);
  const heldTopology = () => scene.api.store(topologyOf({ web }));
  const id = await scene.api.accept(await heldTopology());
  const [first, second] = await Promise.all([scene.page(`/runs/${id}`), scene.page(`/runs/${id}`)]);
  await first.page.getByText('Live', { exact: true }).waitFor();
  await first.page.getByRole('button', { name: 'Cancel' }).click();
  await first.page.getByText(/Sealed at #\d+ in .*; all work stopped .* later/).waitFor();
  await second.page.getByText('Cancelled', { exact: true }).first().waitFor();
  // A run that ended before the click arrived.
  const late = await scene.page(`/runs/${await scene.api.accept(await heldTopology())}`);
  await late.page.route('**/executions/cancel', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/json',
      body: '{"code":"CANCEL_FAILED","message":"Execution already completed","data":null}',
    }),
  );
  await late.page.getByText('Live', { exact: true }).waitFor();
  await late.page.getByRole('button', { name: 'Cancel' }).click();
  await late.page.getByRole('alert').getByText('Execution already completed').waitFor();
  await late.page.context().close();
  behaviour.release();
  await Promise.all([first.page.context().close(), second.page.context().close()]);
});

test('4: a cut connection to the service is said and resumed, each event once', async () => {
  const behaviour = held(healthy);
  const web = await httpTarget(scene.scene.targets, behaviour);
  const id = await scene.api.accept(await scene.api.store(topologyOf({ web })));
  const proxy = await TcpProxy.to(scene.api.url);
  const { page } = await scene.page(`/runs/${id}?view=log&mode=all`);
  await page.goto(`${proxy.url.replace('redis:', 'http:')}/console/runs/${id}?view=log&mode=all`);
  await page.getByText('Live', { exact: true }).waitFor();
  proxy.cut();
  await page.getByText('What you see stands; the run goes on').waitFor();
  proxy.mend();
  await page.getByText('Live', { exact: true }).waitFor();
  behaviour.release();
  await page.getByText('The end').waitFor();
  const { lastSequence } = await scene.api.show(id);
  await page.getByLabel(`Log, ${lastSequence} lines`).waitFor();
  await page.context().close();
  await proxy.close();
});

test('6: what is not there is said with its code and a way out', async () => {
  const missing = await scene.page('/runs/0197f000-0000-7000-8000-000000000000');
  await missing.page.getByRole('heading', { name: 'There is no such run' }).waitFor();
  await missing.page.getByRole('link', { name: 'All runs', exact: true }).waitFor();
  const event = await scene.page(`/runs/${runId}#9999`);
  await event.page.getByText('There is no event 9,999 in this run').waitFor();
  const nowhere = await scene.page('/nowhere');
  await nowhere.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  const topology = await scene.page('/topologies/77777');
  await topology.page.getByRole('heading', { name: 'There is no topology 77777' }).waitFor();
  await topology.page.getByRole('link', { name: 'All topologies' }).waitFor();
  for (const { page } of [missing, event, nowhere, topology]) await page.context().close();
});

test('13: a conversation about a run cites it, can be forked, and is seen by no other browser', async () => {
  const { page, problems } = await scene.page(`/runs/${runId}`);
  await page.getByText('Root cause found').first().waitFor();
  await page.keyboard.press('a');
  await page.getByLabel('Question to the oracle').fill('Why is the bank the root cause?');
  await page.keyboard.press('Enter');
  await page.locator('.said .cite').first().waitFor();
  await page.goto(`${scene.api.url}/console/conversations`);
  await page.locator('.conv').first().click();
  // What the answer rests on, from the conversation: its log need not be there any more.
  await page.locator('.tcall-line code').first().waitFor();
  const question = page.getByLabel('Question to the oracle');
  await question.fill('What was checked?');
  await page.keyboard.press('Enter');
  await page.locator('.said').nth(1).waitFor();
  await page.getByRole('button', { name: 'go on from here' }).first().click();
  await question.fill('Was the bank broken before?');
  await page.keyboard.press('Enter');
  await page.locator('.turn .said').last().getByText(/bank/i).first().waitFor();
  await page.getByText('2 of 2').waitFor();
  await page.reload();
  await page.getByText('2 of 2').waitFor();
  await page.getByRole('button', { name: 'Previous branch' }).click();
  await page.getByText('1 of 2').waitFor();
  const other = await scene.page('/conversations');
  await other.page.getByText('None yet.').waitFor();
  expect(problems).toEqual([]);
  await Promise.all([page.context().close(), other.page.context().close()]);
});

test('13: what is typed after a question that the report offers is a question', async () => {
  const { page } = await scene.page(`/runs/${runId}`);
  await page.locator('section', { hasText: 'Ask on' }).locator('.ask').first().click();
  await page.locator('.said .cite').first().waitFor();
  await page.locator('#ask:focus').waitFor();
  await page.context().close();
});

test('13: a conversation gets its address while it goes on, and is renamed and deleted', async () => {
  const { page, problems } = await scene.page('/conversations/new');
  await page.getByLabel('Question to the oracle').fill('List the topologies');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/conversations\/sess_/);
  await page.locator('.said').first().waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Title of the conversation').fill('What there is');
  await page.keyboard.press('Enter');
  const title = page.getByRole('heading', { name: 'What there is' });
  await title.waitFor();
  await page.locator('.conv', { hasText: 'What there is' }).waitFor();
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await page.getByRole('heading', { name: 'Ask the oracle' }).waitFor();
  await page.goBack();
  await title.waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const sure = page.getByRole('group', { name: 'Delete this conversation?' });
  await sure.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/conversations$/);
  await page.getByText('None yet.').waitFor();
  expect(problems).toEqual([]);
  await page.context().close();
});

test('12: the palette finds a run by what was found, by what was asked and by its topology', async () => {
  const { page, problems } = await scene.page('/settings');
  await page.getByRole('navigation').first().waitFor();
  for (const typed of ['bank', 'something wrong', 'Topology']) {
    await page.keyboard.press('Control+k');
    await page.locator('dialog input').fill(typed);
    await page
      .getByRole('option', { name: /The bank/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  }
  expect(problems).toEqual([]);
  await page.context().close();
});

test('12: Ctrl+K right after Escape opens the palette again, and Escape gives the focus back', async () => {
  const { page, problems } = await scene.page('/settings');
  await page.getByRole('link', { name: 'Runs', exact: true }).focus();
  const shown = page.locator('dialog input:focus');
  await page.keyboard.press('Control+k');
  await shown.waitFor();
  for (let time = 0; time < 10; time++) {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await shown.waitFor({ timeout: 5_000 });
  }
  await page.keyboard.press('Escape');
  await page.locator('a:focus', { hasText: 'Runs' }).waitFor({ timeout: 5_000 });
  expect(problems).toEqual([]);
  await page.context().close();
});

test('12: the palette opens a pasted run id, and print leaves header, graph and report', async () => {
  const { page } = await scene.page('/settings');
  await page.getByRole('navigation').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('dialog input:focus').waitFor();
  await page.keyboard.type(runId);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(runId));
  await page.locator('.cause').waitFor();
  await page.locator('.gnode.h-root').waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.cause').isVisible()).toBe(true);
  expect(await page.locator('.panel-graph').isVisible()).toBe(true);
  expect(await page.locator('.panel-views').isVisible()).toBe(false);
  expect(await page.locator('.rail').isVisible()).toBe(false);
  await page.context().close();
});
