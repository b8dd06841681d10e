import { describe, expect, it } from '@jest/globals';
import { largeTool } from '../support/large-tool.js';
import { modelScene } from '../support/models/model-scene.js';
import type { Say } from '../support/models/provider-frames.js';
import { answer, refuse, type Exchange, type Reply } from '../support/models/provider-server.js';
import { isLibrarian, runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { tokensOf } from '../support/models/tokens-of.js';

const WINDOW = 16_000;
const BAD = 7;
const PER_TURN = 8;

const inOpenAisWords = (tokens: number, window: number) => ({
  type: 'context_length_exceeded',
  message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`,
});
const inAnthropicsWords = (tokens: number, window: number) => ({
  type: 'invalid_request_error',
  message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
});

describe.each(['openai-compatible', 'anthropic'])(
  'a worker on a model of %s with a window of 16,000 tokens',
  (provider) => {
    const scene = modelScene();
    const service = (characters: number) =>
      scene.service(scene.models({ small: { provider, contextWindow: WINDOW } }), {
        tools: [largeTool(characters, BAD)],
      });

    /**
     * Answers as a provider with that window does. Workers follow the script, all other agents the
     * runbook.
     */
    const provide = (
      worker: (turn: number, text: string) => Say[],
      librarian: (text: string) => Say[] = () => [],
      window = WINDOW,
    ) => {
      const refused: number[] = [];
      const seen: number[] = [];
      const texts: string[] = [];
      const read: number[] = [];
      const reply: Reply = (exchange: Exchange) => {
        const tokens = tokensOf(exchange.body);
        if (tokens > window) {
          refused.push(tokens);
          return refuse(
            400,
            provider === 'anthropic'
              ? inAnthropicsWords(tokens, window)
              : inOpenAisWords(tokens, window),
          )(exchange);
        }
        const text = JSON.stringify(exchange.body);
        if (isLibrarian(exchange)) {
          read.push(tokens);
          return answer(...librarian(text), { end: 'stop', usage: [tokens, 20] })(exchange);
        }
        if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
        seen.push(tokens);
        texts.push(text);
        const says = worker(seen.length, text);
        const end = says.some((say) => 'call' in say) ? ('tool-calls' as const) : ('stop' as const);
        return answer(...says, { end, usage: [tokens, 20] })(exchange);
      };
      return { seen, texts, read, refused, reply };
    };

    it('reads 40 large results, never exceeds the window, and finds the fault in the seventh', async () => {
      let cited = '';
      let shownAgain = '';
      const { seen, texts, refused, reply } = provide((turn, text) => {
        const first = (turn - 1) * PER_TURN;
        if (first < 40)
          return Array.from({ length: PER_TURN }, (_, i) => ({
            call: 'big_read',
            args: JSON.stringify({ node: 'shop', part: first + i }),
            id: `c${first + i}`,
          }));
        // The rest of the seventh result: in a stub, or in the digest.
        cited =
          /disk \/var is full.{0,40}?\[(\w+)\]/.exec(text)?.[1] ??
          /evidence[\\": ]+(\w+)[^}]*?disk \/var is full/.exec(text)?.[1] ??
          '';
        if (turn === 6)
          return [{ call: 'read_result', args: JSON.stringify({ id: cited }), id: 'again' }];
        shownAgain = text;
        const finding = {
          node: 'shop',
          severity: 'critical',
          title: 'The disk is full',
          evidence: [cited],
        };
        return [
          {
            call: 'report',
            args: JSON.stringify({ summary: 'The disk is full.', findings: [finding] }),
            id: 'done',
          },
        ];
      });
      scene.server.otherwise = reply;
      const api = await service(6_000);
      const events = await scene.diagnose(api, await scene.shop(), { tokenBudget: 2_000_000 });

      expect(seen).toHaveLength(7);
      expect(refused).toEqual([]);
      expect(texts.at(-1)).toContain('left out');
      expect(shownAgain).toContain(`characters 0 to `);
      const results = events.filter(
        ({ key, data }) => key === 'llm.tool_result' && data['tool'] === 'big_read',
      );
      expect(results).toHaveLength(40);
      const seventh = results.find(({ data }) =>
        JSON.stringify(data).includes('disk /var is full'),
      );
      const report = events.at(-1)?.data['report'] as {
        verdict: string;
        findings: { title: string; evidence: number[] }[];
      };
      expect(report.findings.map(({ title, evidence }) => [title, evidence])).toEqual([
        ['disk /var is full', [seventh?.sequence]],
      ]);
      expect(events.filter(({ data }) => data['code'] === 'CONTEXT_LIMIT_WARNING')).toHaveLength(1);
      expect(texts.some((text) => text.includes('context_limit: Over the context limit'))).toBe(
        true,
      );
      // System prompt, task and topology are in every call.
      for (const text of texts) expect(text).toContain('"role\\":\\"worker');
    });

    const one = (id: string): Say => ({
      call: 'big_read',
      args: JSON.stringify({ node: 'shop', part: BAD }),
      id,
    });
    const done = (evidence: string[]): Say => ({
      call: 'report',
      args: JSON.stringify({
        summary: 'The disk is full.',
        findings: [{ node: 'shop', severity: 'critical', title: 'The disk is full', evidence }],
      }),
      id: 'done',
    });

    it('lets the librarian summarise a result of more than 4,000 tokens, and cites the result itself', async () => {
      const { texts, read, refused, reply } = provide(
        (turn) => (turn === 1 ? [one('big')] : [done(['d1_1_t1'])]),
        (text) => [
          {
            text: text.includes('disk /var is full')
              ? 'Fault: disk /var is full, 100 %.'
              : 'Nothing of note.',
          },
        ],
      );
      scene.server.otherwise = reply;
      const api = await service(60_000);
      const events = await scene.diagnose(api, await scene.shop(), { tokenBudget: 2_000_000 });

      expect(refused).toEqual([]);
      expect(read.length).toBeGreaterThan(1);
      expect(texts[1]).toContain('summed_up');
      expect(texts[1]).toContain('Fault: disk /var is full, 100 %.');
      expect(texts[1]).not.toContain('lorem ipsum');
      expect(texts[1]).toContain('read_result with the id d1_1_t1');

      const own = events.filter(({ source }) => source?.agent_id.endsWith('.librarian'));
      expect(own.map(({ key }) => key)).toEqual([
        ...read.map(() => 'llm.usage'),
        'dispatch.report',
      ]);
      expect(own.at(-1)?.data).toMatchObject({
        dispatch_id: 'd1_1_l1',
        status: 'ok',
        summary: expect.stringContaining('[d1_1_t1] '),
      });
      expect(events.find(({ data }) => data['worker_name'] === 'librarian')?.data).toMatchObject({
        task: 'Summarise the results that are too large: d1_1_t1.',
      });
      const report = events.at(-1)?.data['report'] as { findings: { evidence: number[] }[] };
      const result = events.find(
        ({ key, data }) => key === 'llm.tool_result' && data['tool_call_id'] === 'd1_1_t1',
      );
      expect(report.findings[0]?.evidence).toEqual([result?.sequence]);
      expect(events.at(-1)?.data).toMatchObject({ partial: false });
    });

    it.each([
      ['in the words of the provider', undefined],
      [
        'without a number',
        { type: 'context_length_exceeded', message: 'Please reduce the length of the messages.' },
      ],
    ])(
      'whose window is smaller than was believed is sent less, %s, and is not sent too much again',
      async (_, words) => {
        const { seen, texts, refused, reply } = provide(
          (turn) =>
            turn <= 6
              ? Array.from({ length: 2 }, (_, i) => ({
                  call: 'big_read',
                  args: JSON.stringify({ node: 'shop', part: 2 * turn + i }),
                  id: `c${turn}${i}`,
                }))
              : [done(['d1_1_t6'])],
          undefined,
          9_000,
        );
        scene.server.otherwise = (exchange) =>
          words && tokensOf(exchange.body) > 9_000
            ? (refused.push(0), refuse(400, words)(exchange))
            : reply(exchange);
        const api = await service(7_000);
        const events = await scene.diagnose(api, await scene.shop(), { tokenBudget: 2_000_000 });

        expect(seen).toHaveLength(7);
        expect(refused).toHaveLength(1);
        const warning = events.find(({ data }) => data['code'] === 'AI_ERROR');
        expect(warning).toMatchObject({
          key: 'system.warning',
          data: {
            retryable: true,
            attempt: 1,
            retry_in_ms: 0,
            message: expect.stringContaining(
              'too long for "small" (400). Trying again with a shorter prompt.',
            ),
          },
        });
        expect(texts.at(-1)).toContain('left out');
        expect(events.at(-1)?.data).toMatchObject({ partial: false });
      },
    );

    it('that refuses every request as too long is called once more, then fails by name', async () => {
      let asked = 0;
      scene.server.otherwise = (exchange) => {
        if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
        asked++;
        return refuse(
          400,
          provider === 'anthropic' ? inAnthropicsWords(9, 8) : inOpenAisWords(9, 8),
        )(exchange);
      };
      const api = await service(100);
      const events = await scene.diagnose(api, await scene.shop());
      const error = events.find(({ key }) => key === 'system.error');
      expect(error?.data).toMatchObject({
        code: 'AI_ERROR',
        retryable: false,
        attempt: 2,
        message: expect.stringContaining('is too long'),
      });
      const failed = events.filter(
        ({ key, source }) => key === 'dispatch.report' && source.agent_type === 'worker',
      );
      expect(failed.map(({ data }) => data['status'])).toEqual(failed.map(() => 'failed'));
      expect(asked).toBe(2 * failed.length);
      expect(events.at(-1)?.key).toBe('lifecycle.completed');
    });

    it('continues without a summary if the librarian fails', async () => {
      const { texts, reply } = provide((turn) => (turn === 1 ? [one('big')] : [done(['d1_1_t1'])]));
      scene.server.otherwise = (exchange) =>
        isLibrarian(exchange) ? refuse(401, { message: 'not you' })(exchange) : reply(exchange);
      const api = await service(60_000);
      const events = await scene.diagnose(api, await scene.shop());
      const own = events.filter(({ source }) => source?.agent_id.endsWith('.librarian'));
      expect(own.at(-1)?.data).toMatchObject({ status: 'failed', reasons: ['AI_ERROR'] });
      expect(texts[1]).toContain('left_out');
      expect(events.at(-1)?.data).toMatchObject({ partial: false });
    });
  },
);
