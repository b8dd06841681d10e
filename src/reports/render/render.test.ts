import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../../domain/diagnosis/finding.js';
import { hugeReport, outcomeWith, reportOf } from '../../../test/support/incidents/outcomes.js';
import { renderAnnotation } from './annotation.js';
import { renderMarkdown } from './markdown.js';
import { textOf } from './outcome-text.js';
import { renderPlain } from './plain.js';
import { renderSlack } from './slack.js';
import { renderWebhook } from './webhook.js';

const outcome = outcomeWith(reportOf());
const text = textOf(outcome, 'https://c.example');
const huge = outcomeWith(hugeReport(), { headline: 'x'.repeat(90_000) });

interface Slack {
  text: string;
  blocks: { type: string; text: { text: string } }[];
}

it('writes Markdown with the chain, the evidence and the next steps', () => {
  expect(renderMarkdown(text)).toBe(`# Shop: The database refuses connections

Checkout fails for all users.

## Root causes

- **db**: connection refused, 90 % sure
  - Chain: shop → api → db
  - #12 tcp_probe: ECONNREFUSED after 3 tries

## Findings

- **db**: critical: connection refused

## Next steps

- **Change**: Start the database \`systemctl start db\`

## Not checked

- **cdn**: no tool measures it

[The whole run](https://c.example/console/runs/01a2053b-305c-7553-b724-02805b640247)
`);
});

it('writes a page with names, all findings, their details and evidence, and the words of the agents', () => {
  const names = new Map([['db', 'Orders database']]);
  const report = reportOf({ narrative: 'The *database* is gone.' });
  const page = renderMarkdown(textOf(outcomeWith(report), undefined, { whole: true, names }));
  expect(page).toContain('  - Chain: shop → api → Orders database\n');
  expect(page).toContain(
    '- **Orders database**: critical: connection refused\n  - port 5432\n  - #12 tcp_probe: ECONNREFUSED',
  );
  expect(page).toContain('- **shop**: info: fine');
  expect(page).toContain('> The \\*database\\* is gone.');
});

describe('what is not certain', () => {
  const claimed: Finding = {
    node: 'cdn',
    severity: 'critical',
    title: 'pool exhausted',
    detail: '',
    evidence: [12],
    origin: 'agent',
  };
  const [cause] = reportOf().root_causes;
  const open = Array.from({ length: 5 }, (_, i) => ({
    node: i === 0 ? 'cdn' : `c${i}`,
    reason: 'no tool measures it',
  }));
  const report = reportOf({
    root_causes: cause ? [{ ...cause, not_excluded: open }] : [],
    findings: [claimed],
  });
  const names = new Map([['cdn', 'The CDN']]);
  const said = textOf(outcomeWith(report), undefined, { names });
  const page = textOf(outcomeWith(report), undefined, { whole: true, names });

  it.each([
    ['Markdown', renderMarkdown(said)],
    ['a page', renderMarkdown(page)],
    ['plain text', renderPlain(said, 4_000)],
    ['Slack', (renderSlack(said, undefined) as Slack).blocks.map((each) => each.text.text).join()],
  ])('is said in %s: claims of agents, what is not excluded and what was not checked', (_, all) => {
    const text = all.replaceAll('\\', '');
    expect(text).toMatch(/The CDN\**: critical: pool exhausted \(claimed by an agent\)/);
    expect(text).toContain('Not excluded: The CDN (no tool measures it)');
    expect(text).toContain('Not excluded: 2 more nodes');
    expect(text).toMatch(/The CDN\**: no tool measures it/);
    // No item without a text.
    expect(text).not.toMatch(/^\s*[-•]\s*$/m);
  });
});

it('quotes of the words of the agents only what the headline and the impact do not say', () => {
  const page = (narrative: string) =>
    renderMarkdown(textOf(outcomeWith(reportOf({ narrative })), undefined, { whole: true }));
  expect(page('The database refuses connections. It was moved.')).toContain('\n> It was moved.\n');
  expect(page('The database refuses connections. Checkout fails for all users.')).not.toContain(
    'words of the agents',
  );
});

it('writes a page of bounded length without markup and control characters of its texts (L2)', () => {
  const page = renderMarkdown(textOf(huge, undefined, { whole: true }));
  expect(page.length).toBeLessThan(500_000);
  expect(page).not.toMatch(/[\u001b\u202e]/);
  // Outside of code, which nothing reads as markup.
  expect(page.replace(/ `[^\n]*/g, '')).not.toContain('<!channel>');
});

it('writes plain text of bounded length that keeps the address', () => {
  expect(renderPlain(text, 4_000)).toContain('  Chain: shop → api → db\n');
  const short = renderPlain(textOf(huge, 'https://c.example'), 500);
  expect([...short].length).toBeLessThanOrEqual(500);
  expect(short).toMatch(/\nhttps:\/\/c\.example\/console\/runs\/[0-9a-f-]+$/);
});

it('has no full stop between a sentence and its command in plain text', () => {
  const steps = [{ text: 'Look at it.', access: 'read' as const, command: 'ss -ltnp' }];
  const said = textOf(outcomeWith(reportOf({ next_steps: steps })), undefined);
  expect(renderPlain(said, 4_000)).toContain('- Look: Look at it: ss -ltnp');
});

it.each([
  '<users/all>',
  '<users/123>',
  '<https://evil.example|Sign in>',
  '<!channel>',
  '<@U123>',
  '@all',
  '@here',
  '@channel',
  '@Channel',
  '.@all',
  '_@all',
  '(@here)',
  '@@all',
  '<@all>',
])('breaks %j in plain text, so that no chat reads a mention', (mention) => {
  const shown = renderPlain({ ...text, title: `Shop: ${mention}`, impact: mention }, 4_000);
  expect(shown).not.toContain(mention);
  expect(shown.replaceAll('\u200b', '')).toContain(`Shop: ${mention}\n${mention}\n`);
  const { text: fallback } = renderSlack({ ...text, title: mention }, undefined) as Slack;
  expect(fallback).not.toContain(mention);
});

it('leaves addresses and comparisons in plain text as they are', () => {
  const title = 'ssh root@db, <5 ms, a < b, <none>';
  expect(renderPlain({ ...text, title }, 4_000)).toContain(title);
});

describe('a message for Slack', () => {
  it('has the chain, the evidence and the next steps, and says if it is repeated', () => {
    const { blocks, text: fallback } = renderSlack(text, 'Attempt 2: again.') as Slack;
    expect(blocks.map(({ text: { text: each } }) => each)).toEqual([
      'Shop: The database refuses connections',
      '_Attempt 2: again._',
      'Checkout fails for all users.',
      [
        '*Root causes*\n• *db*: connection refused, 90 % sure',
        '    Chain: shop → api → db',
        '    #12 tcp_probe: ECONNREFUSED after 3 tries',
      ].join('\n'),
      '*Findings*\n• *db*: critical: connection refused',
      '*Next steps*\n• *Change*: Start the database `systemctl start db`',
      '*Not checked*\n• *cdn*: no tool measures it',
      '<https://c.example/console/runs/01a2053b-305c-7553-b724-02805b640247|The whole run>',
    ]);
    expect(fallback).toContain('Shop: The database refuses connections');
  });

  it('stays within the limits of Slack and mentions no channel, whatever the report says', () => {
    const message = renderSlack(textOf(huge, undefined), undefined) as Slack;
    const { blocks, text: fallback } = message;
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(blocks[0]?.text.text.length).toBeLessThanOrEqual(150);
    for (const block of blocks.slice(1)) expect(block.text.text.length).toBeLessThanOrEqual(3_000);
    const all = fallback + blocks.map((block) => block.text.text).join('');
    expect(all.length).toBeLessThan(13_000);
    for (const block of blocks.slice(1))
      expect(block.text.text).not.toMatch(/<!|&(?!amp;|lt;|gt;)/);
  });
});

describe('the body of a webhook', () => {
  it('has the report, and says what it left off of a large one', () => {
    const body = JSON.parse(renderWebhook(outcome, 'https://c.example')) as object;
    expect(body).toMatchObject({
      type: 'diagnosis.completed',
      timestamp: '2026-11-22T12:01:00.000Z',
      data: {
        runId: outcome.runId,
        verdict: 'root_cause_found',
        topologyId: 7,
        left_off: 0,
        url: 'https://c.example/console/runs/01a2053b-305c-7553-b724-02805b640247',
        report: { root_causes: [{ node: 'db', chain: ['shop', 'api', 'db'] }] },
      },
    });
    const large = renderWebhook(huge, undefined);
    expect(Buffer.byteLength(large)).toBeLessThanOrEqual(20_000);
    expect((JSON.parse(large) as { data: { left_off: number } }).data.left_off).toBe(2_000);
  });

  it('has the first step of each root cause, though another has many', () => {
    const steps = [...Array<string>(400).fill('db'), 'api'].map((node) => ({
      text: `Look at ${'x'.repeat(60)}`,
      node,
      access: 'read' as const,
    }));
    const made = outcomeWith({
      ...hugeReport(),
      findings: [],
      root_causes: [],
      unchecked: [],
      citations: [],
      next_steps: steps,
    });
    const body = JSON.parse(renderWebhook(made, undefined)) as {
      data: { report: { next_steps: { node: string }[] } };
    };
    const shown = body.data.report.next_steps;
    expect(shown.length).toBeLessThan(400);
    expect(shown.at(-1)?.node).toBe('api');
  });

  it('is the same at each attempt', () =>
    expect(renderWebhook(outcome, undefined)).toBe(renderWebhook(outcome, undefined)));

  it('reports a run without a report', () => {
    const failed = outcomeWith(null, { status: 'failed', verdict: 'failed' });
    expect(JSON.parse(renderWebhook(failed, undefined))).toMatchObject({
      type: 'diagnosis.failed',
      data: { report: null, left_off: 0 },
    });
  });
});

it('writes an alert whose annotations are the diagnosis', () => {
  expect(renderAnnotation(outcome, text)).toMatchObject([
    {
      labels: {
        alertname: 'ConsiliumDiagnosis',
        verdict: 'root_cause_found',
        topology: 'Shop',
      },
      annotations: {
        summary: 'The database refuses connections',
        description: expect.stringContaining('Start the database: systemctl start db'),
      },
      endsAt: '2026-11-22T13:01:00.000Z',
    },
  ]);
  const [alert] = renderAnnotation(huge, textOf(huge, undefined)) as [
    { annotations: { description: string; summary: string } },
  ];
  expect(alert.annotations.description.length).toBeLessThanOrEqual(8_000);
  expect(alert.annotations.summary).toHaveLength(500);
});
