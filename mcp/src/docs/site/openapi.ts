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

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Contract 4.6: returns `/openapi.json`. It describes validation, health and query, and is generated from the schemas
 * that parse requests.
 */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Guard',
      version: '1.0.0',
      description: 'Request validation, health and read-only analytics queries.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // The default for all paths. The paths of health and query name other servers.
    servers: [validatorServer],
    tags: [
      { name: 'validation', description: 'Decisions about the requests of visitors.' },
      { name: 'health', description: 'Readiness of the services.' },
      { name: 'analytics', description: 'SQL on the events.' },
    ],
    paths: { '/validate': validatePath, '/health': healthPath, '/query': queryPath },
    components: {
      schemas: {
        ...wireSchemas(),
        ValidateError: validateErrorSchema,
        ErrorDetail: errorDetailSchema,
        ErrorType: { type: 'string', enum: Object.keys(validateErrors) },
        Health: healthSchema,
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
 * The schemas of requests and answers. They are generated for input (`io: 'input'`), so that they have no
 * `additionalProperties: false`. A client must not refuse a field that a later version adds. Each schema has a name,
 * because generated clients name their types after it.
 */
function wireSchemas(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const wireTypes = {
    ValidateRequest,
    ValidateResponse,
    Decision,
    StatusCode,
    Cookie,
    Crawler,
    ReasonCategory,
  };
  for (const [id, schema] of Object.entries(wireTypes)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: schemaPointer });
  // OpenAPI 3.1 declares the dialect once for the document and names a schema by its key.
  const cleanedSchemas = Object.entries(schemas).map(([name, schema]) => [
    name,
    Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => !/^\$(?:schema|id)$/.test(keyword)),
    ),
  ]);
  return Object.fromEntries(cleanedSchemas) as JsonObject;
}

const schemaPointer = (name: string) => `#/components/schemas/${name}`;
const schemaRef = (name: string): JsonObject => ({ $ref: schemaPointer(name) });
const jsonResponse = (description: string, name: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: schemaRef(name) } },
});
const textResponse = (description: string): JsonObject => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/**
 * The URLs of a Guard on the reader's own machine. The URLs have no variables. Some generated clients do not replace
 * variables, and would connect to a host with the name `{base_url}`.
 */
const validatorServer: JsonObject = { url: 'http://127.0.0.1:8081', description: 'The validator.' };
const apiServer: JsonObject = {
  url: 'http://127.0.0.1:8082',
  description: 'Analytics and assistants.',
};
const collectorServer: JsonObject = { url: 'http://127.0.0.1:8083', description: 'The collector.' };

const validateErrorSchema: JsonObject = {
  type: 'object',
  properties: { success: { type: 'boolean', const: false }, error: schemaRef('ErrorDetail') },
  required: ['success', 'error'],
};

const errorDetailSchema: JsonObject = {
  type: 'object',
  properties: { type: schemaRef('ErrorType'), message: { type: 'string' } },
  required: ['type', 'message'],
};

const healthSchema: JsonObject = {
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
function errorResponses(): JsonObject {
  const types = new Map<number, string[]>();
  for (const [type, { status }] of Object.entries(validateErrors)) {
    types.set(status, [...(types.get(status) ?? []), type]);
  }
  return Object.fromEntries(
    [...types].map(([status, names]) => [status, jsonResponse(names.join(', '), 'ValidateError')]),
  );
}

const validatePath: JsonObject = {
  servers: [validatorServer],
  post: {
    operationId: 'validate',
    tags: ['validation'],
    summary: 'Ask for a decision about one request',
    security: [{ secretKey: [] }],
    requestBody: {
      required: true,
      description: `At most ${VALIDATE.maxBodyBytes / 1024} KiB of JSON, not compressed.`,
      content: { 'application/json': { schema: schemaRef('ValidateRequest') } },
    },
    responses: { 200: jsonResponse('The decision.', 'ValidateResponse'), ...errorResponses() },
  },
};

const healthPath: JsonObject = {
  servers: [validatorServer, collectorServer],
  get: {
    operationId: 'health',
    tags: ['health'],
    summary: 'Readiness of the validator or the collector',
    security: [{ secretKey: [] }, { healthCheckToken: [] }],
    responses: {
      200: jsonResponse('Ready.', 'Health'),
      403: { description: 'Not authorised; empty body.' },
      503: { description: 'Authorised, not ready; empty body.' },
    },
  },
};

const queryPath: JsonObject = {
  servers: [apiServer],
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
      400: textResponse('Malformed, empty or over-size statement, or an error of the database.'),
      401: { description: 'No valid analytics key; empty body.' },
      405: textResponse('Not POST.'),
      417: { description: 'Unsupported Expect header.' },
      502: textResponse(
        'Answer above 4 MiB, or the database did not answer: use smaller time windows.',
      ),
      503: {
        ...textResponse('The database is busy: the same statement can succeed later.'),
        headers: {
          'Retry-After': {
            description: 'Seconds to wait before the same statement is sent again.',
            schema: { type: 'integer' },
          },
        },
      },
      default: textResponse(
        'The database found an error in the statement. The text has the error code of the database. The status is 404, 408, 500 or 501.',
      ),
    },
  },
};
