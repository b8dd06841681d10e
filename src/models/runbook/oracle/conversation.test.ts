import { describe, expect, it } from '@jest/globals';
import { textOf, type Json, type JsonObject } from '../../../lib/json.js';
import type { Remark } from './reading/question.js';
import {
  BROKEN,
  LINE,
  OWN,
  SPOKEN,
  ask,
  id,
  tell,
  tellAllBroken,
} from '../../../../test/support/incidents/oracle-questions.js';
import { converse } from '../../../../test/support/incidents/oracle-world.js';

/** Asks questions one after the other. Returns the last answer. */
function talk(answer: typeof tell, ...questions: string[]): string {
  const said: Remark[] = [];
  for (const question of questions) {
    const { plan } = ask(question, { said, answer });
    said.push({ by: 'person', text: question }, { by: 'oracle', text: plan.text });
  }
  return said.at(-1)?.text.replaceAll('\n\n', '\n') ?? '';
}

describe('the subject of a conversation', () => {
  it.each([
    ['what is broken right now?', 'what is the impact?'],
    ['what is broken right now?', 'which topologies are broken?'],
    ['is everything ok?', 'anything wrong?'],
  ])('is not changed by answers about all topologies: %s, %s', (...questions) =>
    expect(
      talk(tellAllBroken, 'what is wrong with the shop?', ...questions, 'how sure are you?'),
    ).toContain('topology 7 (Shop)'),
  );

  it.each([
    'what port does the catalog dream of?',
    'catalog lorem ipsum',
    'when will catalog sing?',
  ])('is not changed by a question that was not understood: %s', (question) => {
    const text = talk(tell, 'what is wrong with the shop?', question, 'since when?');
    expect(text).toMatch(/^Payments was healthy at /);
  });
});

describe('next steps', () => {
  const withSteps = (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    if (tool !== 'get_run' || told['topology_id'] !== 7) return told;
    const text = `Step of run ${textOf(args, 'run_id').at(-1)}`;
    const next_steps = [{ text, node: 'payments', access: 'read' }];
    return { ...told, report: { ...BROKEN, next_steps } };
  };

  it.each(['how do I fix it?', 'what should I do first?', 'which command do I run first?'])(
    'are those of the latest diagnosis, also if an older one was discussed: %s',
    (question) => {
      const text = talk(withSteps, 'what happened in the shop at 08:10?', question);
      expect(text).toContain('Step of run 3');
      expect(text).not.toContain('Step of run 1');
    },
  );

  it('say so if what was measured since is no longer wrong', () => {
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'http_probe'
        ? { status: 'ok', summary: 'answered 200 OK', measurements: {}, issues: [] }
        : withSteps(tool, args);
    const measured = ask('is payments fixed?', { topology: OWN, answer }).plan.text;
    expect(measured).toContain('No longer wrong: Payments.');
    const { text } = ask('how do I fix it?', { said: [measured], topology: OWN, answer });
    expect(text).toMatch(
      /^No longer wrong: Payments\. That was measured since; these are the steps of the diagnosis of 2026-11-22 08:30:02 UTC\. For new ones, ask me to "diagnose topology 7"\.\n/,
    );
    expect(text).toContain('Step of run 3');
  });

  const TWO = (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    if (tool !== 'get_run' || told['topology_id'] !== 7) return told;
    const [cause] = BROKEN.root_causes;
    const root_causes = [
      { ...cause, confidence: 0.7 },
      { node: 'checkout', title: 'Checkout: answers 502', confidence: 0.9, evidence: [58] },
    ];
    const next_steps = ['payments', 'checkout'].map((node) => ({
      text: `Step for ${node}`,
      node,
      access: 'read',
    }));
    return { ...told, report: { ...BROKEN, root_causes, next_steps } };
  };

  it('go over all root causes if someone asks what to do first, the surest first', () => {
    const first = /Step for checkout[^]*Step for payments/;
    for (const before of ['what is wrong with payments?', 'what is wrong with the shop?'])
      expect(talk(TWO, before, 'what should I fix first?')).toMatch(first);
    const own = talk(TWO, 'what is wrong with payments?', 'how do I fix it?');
    expect(own).toContain('Step for payments');
    expect(own).not.toContain('Step for checkout');
  });

  it.each(['how do I fix it?', 'what should I fix first?'])(
    'are those of the failure if the node before is well: %s',
    (question) => {
      const text = talk(TWO, 'what is wrong with catalog?', question);
      expect(text).toContain('Step for payments');
      expect(text).not.toContain('Catalog');
    },
  );

  it('name who is affected by the failure if the node before is well', () => {
    const text = talk(tell, 'what is wrong with catalog?', 'who is affected?');
    expect(text).toMatch(/^Payments is the root cause: .* Checkout is affected by Payments\./);
  });

  it('of an old run that is named say so, and what the latest one found', () => {
    const text = talk(withSteps, `how do I fix run ${id(1)}?`);
    expect(text).toMatch(
      /^These are the steps of an old diagnosis, of 2026-11-22 08:10:00 UTC\. The latest one, of 2026-11-22 08:30:00 UTC, found: /,
    );
    expect(text).toContain('Step of run 1');
  });

  it('go back to the latest run', () =>
    expect(
      talk(tell, 'what happened in the shop at 08:10?', 'back to the latest run of the shop'),
    ).toContain(LINE));
});

describe('the states of nodes', () => {
  const withStates =
    (states: string[]) =>
    (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      const ids = ['web', 'checkout', 'catalog', 'payments', 'orders-db'];
      const nodes = ids.map((node, i) => ({ node, state: states[i] ?? 'unknown' }));
      return tool === 'get_run' ? { ...told, report: { ...BROKEN, nodes } } : told;
    };
  const ALL_ILL = ['degraded', 'failed', 'degraded', 'failed', 'unknown'];
  const SOME = ['healthy', 'failed', 'healthy', 'failed', 'unknown'];

  it.each(['which nodes are healthy?', 'which ones are ok?', 'list the nodes that are fine'])(
    'are those of the report: %s',
    (question) => {
      const said = SPOKEN;
      expect(ask(question, { said, answer: withStates(ALL_ILL) }).text).toMatch(
        /^(?:In Shop \(topology 7\):\n)?Healthy: none of 5 nodes\.\nRun /,
      );
      expect(ask(question, { said, answer: withStates(SOME) }).text).toMatch(
        /^(?:In Shop \(topology 7\):\n)?Healthy: Storefront and Catalog \(2 of 5\)\.\nRun /,
      );
    },
  );

  it('are counted as healthy also if it was only measured that they answer, and that is said', () => {
    const nodes = ['web', 'catalog'].map((node) => ({ node, state: 'healthy' }));
    const reached = { ...nodes[1], reached_only: true };
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      const report = { ...BROKEN, unchecked: [], nodes: [nodes[0] ?? {}, reached] };
      return tool === 'get_run' ? { ...told, report } : told;
    };
    for (const question of ['which nodes are healthy?', 'what was checked?'])
      expect(ask(question, { said: SPOKEN, answer }).text).toMatch(
        /Healthy: Storefront and Catalog \(2 of 2\)\.\nOf Catalog it was only measured that it answers/,
      );
  });

  it.each(['which nodes are broken?', 'which ones are not ok?', 'which of them are unhealthy?'])(
    'that are not well are listed: %s',
    (question) =>
      expect(ask(question, { said: SPOKEN, answer: withStates(SOME) }).text).toMatch(
        /^(?:In Shop \(topology 7\):\n)?Failed: Checkout and Payments \(2 of 5\)\.\nNot known: Orders database \(1 of 5\)\.\nRun /,
      ),
  );
});

describe('the nodes of what was discussed', () => {
  it.each(['which nodes are down?', 'how many services are broken?'])(
    'are listed with their topology, and where else something is wrong: %s',
    (question) => {
      const text = converse(['is the blog ok?', question]);
      expect(text).toMatch(/^In Blog \(topology 12\):\n/);
      expect(text).toMatch(/\nSomething is wrong elsewhere: .*Web shop \(topology 11\)/);
      expect(converse([`${question.slice(0, -1)} in the blog?`])).not.toContain('elsewhere');
    },
  );
});

describe('the nodes of all topologies', () => {
  const HEAD = 'The nodes of every topology, by the latest diagnoses:';

  it('are listed for each if nothing was discussed', () => {
    expect(converse(['which nodes are broken?']).split('\n')).toEqual([
      HEAD,
      expect.stringMatching(
        /^- Web shop \(topology 11\): Failed: Orders DB \(1 of 5\)\. Downstream of a fault: .* \(3 of 5\)\.$/,
      ),
      expect.stringMatching(/^- Billing \(topology 13\): Failed: Invoice API \(1 of 3\)\.$/),
      '- Not healthy: none in Blog (topology 12).',
      'For what is now, ask me to "diagnose topology N".',
    ]);
    expect(converse(['which services are ok?'])).toMatch(
      /\n- Blog \(topology 12\): Healthy: Blog Web and Blog DB \(2 of 2\)\./,
    );
  });

  it('are what nothing is under discussion after', () =>
    expect(converse(['is the blog ok?', 'which nodes of all topologies are broken?', 'why?'])).toBe(
      converse(['why?']),
    ));
});

describe('other ways to write a question', () => {
  it.each([
    ['shop pls diagnose', /^Root cause: Payments/],
    ['diagnose catalog', /^Nothing was found to be wrong with Catalog\..*\nRoot cause: Payments/],
    [
      'i restarted catalog, is it fixed?',
      /^Catalog was not wrong in the diagnosis of .*\.\nRoot cause: Payments/,
    ],
    ['restarted catalog again. is it fixed?', /^Catalog was not wrong in the diagnosis of /],
    ['we rolled back the catalog and is it ok now', /^Yes, at .* found to be wrong with Catalog\./],
    ['so is payments fixed?', /^I cannot tell: it was not checked since /],
    ['what recovered in the shop?', /^No node recovered in the last 3 diagnoses of topology 7/],
    ['wats wrong w payments', /^Payments is the root cause/],
    ['when was payments broken?', /^Something was wrong with Payments in 2 of the last 3 /],
    ['does the catalog work', /^Yes, at .* nothing was found to be wrong with Catalog\./],
    ['why isnt payments checked', /^Payments is the root cause/],
    ['summary of the shop pls', /^Root cause: Payments/],
    ['morning', /^I answer questions about topologies/],
    ['is payments a service?', /^Yes\. Payments is of kind service\.\nTopology 7/],
    [
      'is the shop down?',
      /^Yes, at 2026-11-22 08:30:02 UTC, when it was last measured\.\nRoot cause/,
    ],
    [
      'is the catalog down?',
      /^No, at 2026-11-22 08:30:02 UTC nothing was found to be wrong with Catalog\./,
    ],
    ['y is payments down', /^Payments is the root cause/],
    ['hows the catalog', /^Nothing was found to be wrong with Catalog\./],
    ['payments still down?', /^Yes, at 2026-11-22 08:30:02 UTC, when it was last measured\./],
    ['catalog ok', /^Yes, at .* nothing was found to be wrong with Catalog\./],
    ['catlog ok?', /^I read "catlog" as "catalog"\.\nYes, at /],
    ['is the catalog full?', /^I cannot tell\. Nothing about space was measured at Catalog\./],
    ['can users reach checkout?', /^Yes\. Nothing was found to be wrong about the network/],
    ['how sure r u about payments?', /^I am 93 % sure of Payments/],
    ['does the catalog resolve?', /^I cannot tell\. Nothing about DNS was measured at Catalog\./],
    ['can you reach checkout?', /^Yes\. Nothing was found to be wrong about the network/],
    ['is the catalog hanging?', /^I cannot tell\. Nothing about time-outs was measured/],
    ['is everything healthy', /^No\.\nThe latest verdict of every topology:/],
  ])('is understood: %s', (question, answer) => expect(ask(question).text).toMatch(answer));

  it('is understood in the chat of a topology: all good?', () =>
    expect(ask('all good?', { topology: OWN }).text).toMatch(
      /^No\. Found wrong|^No\. Still wrong/,
    ));

  it('does not say twice that nothing was found', () => {
    const { text } = ask('is the catalog healthy?');
    expect(text.match(/othing was found to be wrong/g)).toHaveLength(1);
  });
});

describe('many nodes of a chat', () => {
  it('are all measured, some after the others', () => {
    const nodes = Array.from({ length: 45 }, (_, i) => ({
      id: `n${i}`,
      name: `N${i}`,
      kind: 'service',
      dependsOn: [],
      firstLook: [{ tool: 'http_probe', args: { node: `n${i}` } }],
    }));
    const topology = { ...OWN, nodes };
    const { text } = ask('is everything ok?', { topology });
    expect(text).toMatch(/^No\. /);
    expect(text.match(/nothing answers$/gm)).toHaveLength(nodes.length);
  });
});
