import { expect, test } from '@jest/globals';
import { pagesIn } from './status-pages.js';

const down = { provider: 'A', incidents: [{ name: 'outage' }] };
const well = { provider: 'B', incidents: [] };
const plain = { status: { indicator: 'major' }, components: [{ name: 'api' }] };

test.each<[string, unknown, unknown[]]>([
  ['one page', down, [down]],
  ['a page without a list of incidents', plain, [plain]],
  ['a list', [down, well], [down, well]],
  ['pages under a key', { providers: [down, well] }, [down, well]],
  ['pages by name', { a: down, b: well }, [down, well]],
  ['no page', 'operational', ['operational']],
  ['nothing', null, [null]],
])('finds the pages of a document: %s', (_, document, pages) => {
  expect(pagesIn(document)).toEqual(pages);
});
