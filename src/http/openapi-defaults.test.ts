import { expect, it } from '@jest/globals';
import { describeDefaults } from './openapi-defaults.js';

it('writes defaults into descriptions, at any depth', () =>
  expect(
    describeDefaults({
      type: 'object',
      properties: {
        size: { type: 'integer', default: 20, description: 'Of a page' },
        sort: { type: 'array', items: { enum: ['up', 'down'], default: 'up' } },
        either: { oneOf: [{ type: 'object', properties: { on: { default: false } } }] },
      },
      required: ['either'],
    }),
  ).toEqual({
    type: 'object',
    properties: {
      size: { type: 'integer', description: 'Of a page. Default: 20' },
      sort: { type: 'array', items: { enum: ['up', 'down'], description: 'Default: "up"' } },
      either: {
        oneOf: [{ type: 'object', properties: { on: { description: 'Default: false' } } }],
      },
    },
    required: ['either'],
  }));

it('leaves properties and examples that are called like keywords', () => {
  const schema = {
    properties: { default: { type: 'string' }, description: { type: 'string' } },
    example: { default: 1 },
  };
  expect(describeDefaults(schema)).toEqual(schema);
});
