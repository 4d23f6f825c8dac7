import { expect, test } from 'vitest';
import { openApiDocument } from '../../mcp/src/docs/site/openapi.ts';
import { parseValidateBody } from '../../validator/src/request/parse.ts';

/** Contract 4.6: the limits of a question in /openapi.json are the limits of the parser. */

interface Bounds {
  readonly maxLength: number;
}

interface RequestSchema {
  readonly url: Bounds;
  readonly ip: Bounds;
  readonly method: Bounds;
  readonly referrer: Bounds;
  readonly headers: {
    readonly maxProperties: number;
    readonly propertyNames: Bounds & { readonly minLength: number };
    readonly additionalProperties: Bounds;
  };
}

const document = openApiDocument() as {
  components: { schemas: { ValidateRequest: { properties: RequestSchema } } };
};
const { url, ip, method, referrer, headers } =
  document.components.schemas.ValidateRequest.properties;

const base = { url: 'https://shop.example/', ip: '203.0.113.7' };
const text = (length: number, begin = '') => begin.padEnd(length, 'a');
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, '']));

test.each([
  ['url', (n: number) => ({ url: text(n, base.url) }), url.maxLength],
  ['ip', (n: number) => ({ ip: text(n) }), ip.maxLength],
  ['method', (n: number) => ({ method: text(n) }), method.maxLength],
  ['referrer', (n: number) => ({ referrer: text(n) }), referrer.maxLength],
  ['headers', (n: number) => ({ headers: fields(n) }), headers.maxProperties],
  [
    'the name of a header',
    (n: number) => ({ headers: { [text(n)]: '' } }),
    headers.propertyNames.maxLength,
  ],
  [
    'the value of a header',
    (n: number) => ({ headers: { x: text(n) } }),
    headers.additionalProperties.maxLength,
  ],
])('%s may be as long as the limit, and not longer', (_name, bodyOf, limit) => {
  const parse = (length: number) =>
    parseValidateBody(JSON.stringify({ ...base, ...bodyOf(length) })).kind;
  expect(limit).toBeGreaterThan(0);
  expect([parse(limit), parse(limit + 1)]).toEqual(['request', 'error']);
});

test('a header without a name is an error', () => {
  expect(headers.propertyNames.minLength).toBe(1);
  const reading = parseValidateBody(JSON.stringify({ ...base, headers: { '': 'x' } }));
  expect(reading.kind).toBe('error');
});
