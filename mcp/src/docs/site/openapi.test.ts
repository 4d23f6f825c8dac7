import { validateErrors } from '@guard/config/contract/errors';
import { CATEGORIES } from '@guard/config/contract/categories';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { createDocsServer } from '../../index.ts';
import { serve } from '../../testing/rpc-server.ts';

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { type: string }>;
  };
}

async function document(): Promise<Document> {
  const { url } = await serve(createDocsServer({ publicUrl: 'https://docs.example' }));
  const response = await fetch(`${url}/openapi.json`);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  // The tests in this file check that the document has this shape.
  return (await response.json()) as Document;
}

function operations({ paths }: Document): [string, Operation][] {
  const list: [string, string][] = [
    ['/validate', 'post'],
    ['/health', 'get'],
    ['/query', 'post'],
  ];
  return list.map(([path, method]) => [path, paths[path]?.[method] as Operation]);
}

test('contract 4.6: /openapi.json describes validation, health and query, in OpenAPI 3.1', async () => {
  const openApi = await document();
  expect(openApi.openapi).toMatch(/^3\.1\.\d+$/);
  expect(openApi.info).toMatchObject({ title: 'Guard', version: '1.0.0' });
  expect(Object.keys(openApi.paths)).toEqual(['/validate', '/health', '/query']);
});

test('the recommended rules of a linter report no error and no warning', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const lint = async (source: object) => {
    const problems = await lintFromString({
      source: JSON.stringify(source),
      absoluteRef: '/openapi.json',
      config,
    });
    return problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
  };
  const openApi = await document();
  expect(await lint(openApi)).toEqual([]);
  expect(await lint({ ...openApi, info: {} })).not.toEqual([]);
});

test('contract 4.2: validator and collector both serve /health', async () => {
  const { paths } = await document();
  expect(paths['/health']?.['servers']).toMatchObject([
    { url: 'http://127.0.0.1:8081' },
    { url: 'http://127.0.0.1:8083' },
  ]);
});

test('every reference has a schema, and every schema has a reference', async () => {
  const openApi = await document();
  const references = [
    ...JSON.stringify(openApi).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g),
  ];
  expect(new Set(references.map(([, name]) => name))).toEqual(
    new Set(Object.keys(openApi.components.schemas)),
  );
  expect(JSON.stringify(openApi).match(/"\$ref"/g)).toHaveLength(references.length);
});

test('each object and each enum is a schema with a name, so that generated clients have a type for it', async () => {
  const { schemas } = (await document()).components;
  for (const [name, schema] of Object.entries(schemas)) {
    const inside = JSON.stringify(Object.values(schema));
    expect(inside, name).not.toMatch(/"type":"object","properties"|"enum":/);
  }
});

test('every operation has its own id, known credentials, and a description for each response', async () => {
  const openApi = await document();
  const allOperations = operations(openApi);
  expect(new Set(allOperations.map(([, { operationId }]) => operationId)).size).toBe(3);
  for (const [path, { security, responses }] of allOperations) {
    for (const name of security.flatMap(Object.keys)) {
      expect(Object.keys(openApi.components.securitySchemes)).toContain(name);
    }
    for (const [status, { description }] of Object.entries(responses)) {
      expect(status).toMatch(/^[1-5]\d\d$|^default$/);
      expect(description, `${path} ${status}`).not.toBe('');
    }
  }
});

test('contract 4.1 to 4.3, and 409 of 7.1: each operation lists the statuses of the contract', async () => {
  const statuses = operations(await document()).map(([, { responses }]) => Object.keys(responses));
  expect(statuses).toEqual([
    ['200', '400', '401', '409', '500', '503'],
    ['200', '403', '503'],
    ['200', '400', '401', '405', '417', '502', '503', 'default'],
  ]);
});

test('contract 2.1, 2.2, 2.5: the schemas agree with the contract and allow further fields', async () => {
  const { schemas } = (await document()).components;
  expect(schemas['ValidateRequest']).toMatchObject({ type: 'object', required: ['url', 'ip'] });
  expect(schemas['ValidateResponse']).toMatchObject({
    required: ['success', 'decision'],
    properties: {
      decision: { $ref: '#/components/schemas/Decision' },
      status_code: { $ref: '#/components/schemas/StatusCode' },
      cookies: { items: { $ref: '#/components/schemas/Cookie' } },
      crawler: { $ref: '#/components/schemas/Crawler' },
      block_reason_categories: { items: { $ref: '#/components/schemas/ReasonCategory' } },
    },
  });
  expect(schemas).toMatchObject({
    Decision: { enum: ['allow', 'block', 'redirect'] },
    StatusCode: {
      type: 'integer',
      enum: [200, 302, 401, 403, 404, 418, 429, 451, 460, 503],
    },
    ReasonCategory: { enum: CATEGORIES },
    ErrorType: { enum: Object.keys(validateErrors) },
  });
  expect(JSON.stringify(schemas)).not.toContain('"additionalProperties":false');
});
