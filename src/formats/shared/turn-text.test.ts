import { describe, expect, it } from '@jest/globals';
import { escapeMarkdown } from '../../lib/markdown.js';
import { conclude, settle, silence, speak, type TurnText, type Voice } from './turn-text.js';

interface ShownTurn {
  text: string;
  turn?: number;
  attempt?: number;
  voice?: Voice;
}

/** Speaks one text after another. @returns the state, and what was sent */
function spoken(live: boolean, ...told: ShownTurn[]): [TurnText, string[]] {
  let state = silence(live);
  const sent: string[] = [];
  for (const { text, turn = 1, attempt = 1, voice = 'text' } of told) {
    const [next, pieces] = speak(state, { turn, attempt }, voice, text);
    state = next;
    sent.push(...pieces.map((piece) => piece.text));
  }
  return [state, sent];
}
const settled = (state: TurnText) => settle(state)[1].map(({ text }) => text);

describe('the text of a chat', () => {
  it('is sent at once', () =>
    expect(spoken(true, { text: 'The disk ' }, { text: 'is full.' })[1]).toEqual([
      'The disk ',
      'is full.',
    ]));

  it('is held back in a later attempt, and only what is new of it is sent', () => {
    const [state, sent] = spoken(
      true,
      { text: 'The disk ' },
      { text: 'The disk is full.', attempt: 2 },
    );
    expect(sent).toEqual(['The disk ']);
    expect(settled(state)).toEqual(['is full.']);
  });

  it('begins a new block if a later attempt says something else', () => {
    const [state] = spoken(true, { text: 'The disk ' }, { text: 'A process hangs.', attempt: 2 });
    expect(settle(state)[1]).toEqual([{ voice: 'text', text: 'A process hangs.', fresh: true }]);
  });

  it('ignores what comes late of an earlier attempt', () => {
    const [, sent] = spoken(true, { text: 'New.', attempt: 2 }, { text: 'Old.', attempt: 1 });
    expect(sent).toEqual(['New.']);
  });

  it('begins a block with each turn and each voice', () => {
    const [first] = speak(silence(true), { turn: 1, attempt: 1 }, 'thought', 'Hm.');
    const [second, [answer]] = speak(first, { turn: 1, attempt: 1 }, 'text', 'A.');
    const [, [next]] = speak(second, { turn: 2, attempt: 1 }, 'text', 'B.');
    expect([answer?.fresh, next?.fresh]).toEqual([true, true]);
  });
});

describe('the text of a diagnosis', () => {
  it('is held back until its turn is recorded', () => {
    const [state, sent] = spoken(false, { text: 'One ' }, { text: 'team.' });
    expect(sent).toEqual([]);
    expect(settled(state)).toEqual(['One team.']);
  });

  it('is that of the last attempt', () => {
    const [state] = spoken(false, { text: 'Half a tho' }, { text: 'A whole one.', attempt: 2 });
    expect(settled(state)).toEqual(['A whole one.']);
  });

  it('is sent at the latest when the next turn begins', () => {
    const [, sent] = spoken(false, { text: 'One.' }, { text: 'Two.', turn: 2 });
    expect(sent).toEqual(['One.']);
  });

  it('keeps thoughts and text apart', () => {
    const [state] = spoken(false, { text: 'Hm.', voice: 'thought' }, { text: 'So.' });
    expect(settle(state)[1].map(({ voice, text }) => [voice, text])).toEqual([
      ['thought', 'Hm.'],
      ['text', 'So.'],
    ]);
  });
});

describe('the end of a run', () => {
  const concluded = (state: TurnText, words: string) =>
    conclude(state, words)[1].map(({ text }) => text);

  it('adds nothing to a chat that has spoken', () =>
    expect(concluded(spoken(true, { text: 'All is well.' })[0], 'Summary.')).toEqual([]));

  it('is the summary of a chat that has not', () =>
    expect(concluded(silence(true), 'Summary.')).toEqual(['Summary.']));

  it('says a headline once that the turn, the conclusion and the summary have', () => {
    const [turn] = settle(spoken(false, { text: 'A is down. B is affected by it.' })[0]);
    const place = { turn: 1, attempt: 1 };
    const [conclusion, sent] = speak(turn, place, 'text', '\n\nA is down. Found 1 issue.');
    expect(sent.map(({ text }) => text)).toEqual([' Found 1 issue.']);
    expect(concluded(conclusion, 'A is down. Found 1 issue.\n\nNext steps:')).toEqual([
      '\n\nNext steps:',
    ]);
    expect(concluded(conclusion, 'A is down. Found 1 issue.')).toEqual([]);
  });

  it('says a headline once that the model has written without the marks of Markdown', () => {
    const headline = 'Web is the root cause: errors_total{job="a|b"} rose, see http://a:1/b_c.';
    const [turn] = settle(spoken(false, { text: `I looked. ${headline}` })[0]);
    const summary = escapeMarkdown(`${headline} Found 1 issue.`);
    expect(summary).not.toContain(headline);
    expect(concluded(turn, summary)).toEqual([' Found 1 issue.']);
    const place = { turn: 1, attempt: 1 };
    expect(speak(turn, place, 'text', summary)[1].map(({ text }) => text)).toEqual([
      ' Found 1 issue.',
    ]);
  });

  it('is the rest of a summary whose beginning was sent', () => {
    const [state] = settle(spoken(false, { text: 'The web is well.' })[0]);
    expect(concluded(state, 'The web is well. Found 0 warnings.')).toEqual([' Found 0 warnings.']);
  });
});
