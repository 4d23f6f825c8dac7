import { QUERY, VALIDATE } from '@guard/config/contract/limits';
import { validateErrors } from '@guard/config/contract/errors';
import { ValidateRequest } from '@guard/config/contract/validate-request';
import {
  Cookie,
  Crawler,
  Decision,
  ReasonCategory,
  StatusCode,
  ValidateResponse,
} from '@guard/config/contract/validate-response';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

/** Contract 4.6 `/openapi.json`: validation, health and query, generated from the schemas that parse requests. */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guard',
      version: '1.0.0',
      description: 'Request validation, health and read-only analytics queries.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The default for all paths. Health and query name other servers.
    servers: [validator],
    tags: [
      { name: 'validation', description: 'Decisions about the requests of visitors.' },
      { name: 'health', description: 'Readiness of the services.' },
      { name: 'analytics', description: 'SQL on the events.' },
    ],
    paths: { '/validate': validatePath, '/health': healthPath, '/query': queryPath },
    components: {
      schemas: {
        ...wireSchemas(),
        ValidateError: validateError,
        ErrorDetail: errorDetail,
        ErrorType: { type: 'string', enum: Object.keys(validateErrors) },
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
 * The schemas of requests and answers. They are generated for input (`io: 'input'`), which leaves out
 * `additionalProperties: false`: a client must not refuse a field that a later version adds. Each schema has a name,
 * because generated clients name their types after it.
 */
function wireSchemas(): Json {
  const wire = z.registry<{ id: string }>();
  const named = {
    ValidateRequest,
    ValidateResponse,
    Decision,
    StatusCode,
    Cookie,
    Crawler,
    ReasonCategory,
  };
  for (const [id, schema] of Object.entries(named)) wire.add(schema, { id });
  const { schemas } = z.toJSONSchema(wire, { io: 'input', uri: pointer });
  // OpenAPI 3.1 declares the dialect once for the document and names a schema by its key, so `$schema` and `$id` are
  // removed.
  const keywords = Object.entries(schemas).map(([name, schema]) => [
    name,
    Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => !/^\$(?:schema|id)$/.test(keyword)),
    ),
  ]);
  return Object.fromEntries(keywords) as Json;
}

const pointer = (name: string) => `#/components/schemas/${name}`;
const ref = (name: string): Json => ({ $ref: pointer(name) });
const json = (description: string, name: string): Json => ({
  description,
  content: { 'application/json': { schema: ref(name) } },
});
const text = (description: string): Json => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** A Guard on the reader's own machine. No variables: some generated clients would ask the server `{base_url}`. */
const validator: Json = { url: 'http://127.0.0.1:8081', description: 'The validator.' };
const api: Json = { url: 'http://127.0.0.1:8082', description: 'Analytics and assistants.' };
const collector: Json = { url: 'http://127.0.0.1:8083', description: 'The collector.' };

const validateError: Json = {
  type: 'object',
  properties: { success: { type: 'boolean', const: false }, error: ref('ErrorDetail') },
  required: ['success', 'error'],
};

const errorDetail: Json = {
  type: 'object',
  properties: { type: ref('ErrorType'), message: { type: 'string' } },
  required: ['type', 'message'],
};

const health: Json = {
  type: 'object',
  properties: {
    status: { type: 'string', const: 'ok' },
    guard_stack_version: {
      type: 'string',
      description: 'Only with the internal health check token.',
    },
  },
  required: ['status'],
};

/** One response for each status of the error table. Its description names the error types. */
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
    tags: ['validation'],
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
    tags: ['health'],
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
    tags: ['analytics'],
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
      405: text('Not POST.'),
      417: { description: 'Unsupported Expect header.' },
      502: text('Answer above 4 MiB, or the database did not answer: use smaller time windows.'),
      503: {
        ...text('The database is busy: the same statement can succeed later.'),
        headers: {
          'Retry-After': { description: 'Seconds until then.', schema: { type: 'integer' } },
        },
      },
      default: text(
        'An error of the database in the statement, with its code: 404, 408, 500 or 501.',
      ),
    },
  },
};
