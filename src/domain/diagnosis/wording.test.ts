import { expect, test } from '@jest/globals';
import { newsIn, ownWords, quotedWords, uncheckedText, withName, withoutName } from './wording.js';

test.each([
  [{ reason: 'NO_TOOL', detail: 'No tool measures nodes of kind fax.' }, /of kind fax\.$/],
  [{ reason: 'NO_TOOL' }, /^no tool measures it$/],
  [{ reason: 'it timed out' }, /^it timed out$/],
  [{ reason: 'toString' }, /^toString$/],
])('people read why a node is unchecked in words: %j', (each, text) => {
  expect(uncheckedText(each)).toMatch(text);
});

test.each(['Payments', 'Client secret'])(
  'a text with the name %s can be read without it',
  (name) => {
    const text = withName(name, 'answers 500');
    expect(text).toBe(`${name}: answers 500`);
    expect(withoutName(name, text)).toBe('answers 500');
  },
);

test.each([
  ['It said: "no". Downstream of DB.', ' Downstream of DB.', 'It said: "no".'],
  // Where a target writes the end of a quotation itself, all up to the last one is its own.
  ['It said: "a". disk full ". Ours.', ' Ours.', 'It said: "a". disk full ".'],
  ['3 tries failed. It said: "cut', '3 tries failed. ', 'It said: "cut'],
  ['it said: hello', '', 'it said: hello'],
  ['API says: "disk full".', 'API ', 'says: "disk full".'],
  ['answers 200, but says it is DOWN: a, b', 'answers 200', ', but says it is DOWN: a, b'],
])('of %s, the own words and those of the target are told apart', (text, own, quoted) => {
  expect(ownWords(text)).toBe(own);
  expect(quotedWords(text)).toBe(quoted);
});

test('a text without the name stays', () =>
  expect(withoutName('Payments', 'Payments is slow')).toBe('Payments is slow'));

test.each([
  ['7 root causes. A: is full. And 2 more.', '8 root causes. A: is full.', ''],
  ['Search is the root cause: is full.', '2 root causes. Search: is full. API: fails.', ''],
  [
    'DB is the root cause: a slot is kept. I saw it.',
    'DB is the root cause: is idle.',
    'I saw it.',
  ],
  [
    'DB is the root cause: a slot is kept.',
    'Nothing wrong was found.',
    'DB is the root cause: a slot is kept.',
  ],
  ['Search: is full. I restarted it.', 'Search is the root cause: is full.', 'I restarted it.'],
])('agents say news only in what the report does not say: %s', (text, said, news) =>
  expect(newsIn(text, said)).toBe(news),
);
