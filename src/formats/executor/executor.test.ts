import { test } from '@jest/globals';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';

test('encodes a recorded chat turn to its fixture', () => expectFixture('executor'));
