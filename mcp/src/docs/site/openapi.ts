import { QUERY, VALIDATE } from '@guard/config/contract/limits';
import { validateErrors } from '@guard/config/contract/errors';
import { ValidateRequest } from '@guard/config/contract/validate-request';
import { ValidateResponse } from '@guard/config/contract/validate-response';

type Json = Readonly<Record<string, unknown>>;

/** Contract 4.6 `/openapi.json`: OpenAPI 3.1 of validation, health and query, from the wire's own schemas. */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guard',
      version: '1.0.0',
      description: 'Request validation, health and read-only analytics queries.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The server of the whole document. Health and query name other servers.
    servers: [validator],
    paths: { '/validate': validatePath, '/health': healthPath, '/query': queryPath },
    components: {
      schemas: {
        ValidateRequest: schemaOf(ValidateRequest),
        ValidateResponse: schemaOf(ValidateResponse),
        ValidateError: validateError,
        Health: health,
      },
      securitySchemes: {
        secretKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        healthCheckToken: { type: 'apiKey', in: 'header', name: 'x-health-check-token' },
        analyticsKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A read-only analytics key, sk_api_ro_…',
        },
      },
    },
  };
}

/**
 * The schema of what is sent (`input`): a reader of answers must not refuse a field that a later
 * version adds, so no `additionalProperties: false`.
 */
function schemaOf(schema: typeof ValidateRequest | typeof ValidateResponse): Json {
  const keywords = Object.entries(schema.toJSONSchema({ io: 'input' }));
  // OpenAPI 3.1 names the dialect once, for the whole document.
  return Object.fromEntries(keywords.filter(([keyword]) => keyword !== '$schema'));
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (description: string, name: string): Json => ({
  description,
  content: { 'application/json': { schema: ref(name) } },
});
const text = (description: string): Json => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** A service has its own address in every installation: the reader fills it in. */
function server(name: string, description: string, port: number): Json {
  const variable = { default: `http://127.0.0.1:${port}`, description };
  return { url: `{${name}}`, description, variables: { [name]: variable } };
}

const validator = server('base_url', 'The validator.', 8081);
const api = server('api_url', 'Analytics and assistants.', 8082);
const collector = server('collector_url', 'The collector.', 8083);

const validateError: Json = {
  type: 'object',
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: Object.keys(validateErrors) },
        message: { type: 'string' },
      },
      required: ['type', 'message'],
    },
  },
  required: ['success', 'error'],
};

const health: Json = {
  type: 'object',
  properties: {
    status: { const: 'ok' },
    guard_stack_version: {
      type: 'string',
      description: 'Only with the internal health check token.',
    },
  },
  required: ['status'],
};

/** One response a status of the error table; its error types are named in the description. */
function errorResponses(): Json {
  const types = new Map<number, string[]>();
  for (const [type, { status }] of Object.entries(validateErrors)) {
    types.set(status, [...(types.get(status) ?? []), type]);
  }
  return Object.fromEntries(
    [...types].map(([status, names]) => [status, json(names.join(', '), 'ValidateError')]),
  );
}

const validatePath: Json = {
  servers: [validator],
  post: {
    operationId: 'validate',
    summary: 'Ask for a decision about one request',
    security: [{ secretKey: [] }],
    requestBody: {
      required: true,
      description: `At most ${VALIDATE.maxBodyBytes / 1024} KiB of JSON, not compressed.`,
      content: { 'application/json': { schema: ref('ValidateRequest') } },
    },
    responses: { 200: json('The decision.', 'ValidateResponse'), ...errorResponses() },
  },
};

const healthPath: Json = {
  servers: [validator, collector],
  get: {
    operationId: 'health',
    summary: 'Readiness of the validator or the collector',
    security: [{ secretKey: [] }, { healthCheckToken: [] }],
    responses: {
      200: json('Ready.', 'Health'),
      403: { description: 'Not authorised; empty body.' },
      503: { description: 'Authorised, not ready; empty body.' },
    },
  },
};

const queryPath: Json = {
  servers: [api],
  post: {
    operationId: 'query',
    summary: 'Run one read-only SELECT on events_distributed',
    security: [{ analyticsKey: [] }],
    requestBody: {
      required: true,
      content: {
        'text/plain': {
          schema: { type: 'string', minLength: 1, maxLength: QUERY.maxStatementChars },
        },
      },
    },
    responses: {
      200: {
        description:
          'Rows: tab-separated without a header row, or in the format of a FORMAT clause.',
        content: {
          'text/tab-separated-values': { schema: { type: 'string' } },
          'application/x-ndjson': { schema: { type: 'string' } },
        },
      },
      400: text('Malformed, empty or over-size statement, or an error of the database.'),
      401: { description: 'No valid analytics key; empty body.' },
      405: { description: 'Not POST.' },
      417: { description: 'Unsupported Expect header.' },
      502: text('Answer above 4 MiB, or the database did not answer: use smaller time windows.'),
      default: text(
        'An error of the database in the statement, with its code: 404, 408, 500 or 501.',
      ),
    },
  },
};
