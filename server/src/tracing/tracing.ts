import type { Log } from '@guard/config/contract/ports';
import type { RequestTrace, TracedRequest, Tracing } from '@guard/config/contract/tracing';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  propagation,
  type PropagationAPI,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';

const TRACER_NAME = 'guard';

/**
 * Opens tracing with the OpenTelemetry SDK that the user has loaded with `--import`. Undefined without an SDK. An SDK
 * that is loaded later is not found: Guard checks only once, so that requests without an SDK take no additional time.
 */
export function openTracing(log: Log): Tracing | undefined {
  const provider = trace.getTracerProvider();
  if (isRegistered(provider)) {
    return createTracing(provider.getTracer(TRACER_NAME), propagation);
  }
  if (isRegisteredElsewhere()) log('warn', 'tracing_unusable', { reason: 'older_api' });
  return undefined;
}

/** True for a real provider. Without an SDK the API returns a placeholder without a tracer. */
function isRegistered(provider: TracerProvider): boolean {
  if (!('getDelegateTracer' in provider)) return true;
  const { getDelegateTracer } = provider;
  return (
    typeof getDelegateTracer === 'function' &&
    Reflect.apply(getDelegateTracer, provider, [TRACER_NAME]) !== undefined
  );
}

/**
 * True if there is a provider that the API silently ignores. The API does this when the provider's minor version is
 * lower than its own.
 */
function isRegisteredElsewhere(): boolean {
  const registeredApi: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registeredApi === 'object' && registeredApi !== null && 'trace' in registeredApi;
}

/**
 * Creates spans that follow the semantic conventions for HTTP: `SERVER` for the request, and inside it `guard.decide`
 * and one `CLIENT` span for each attempt at the origin. Spans do not have the visitor's address, User-Agent or query.
 * The event with the same `guard.request_id` has these data, as far as the settings allow.
 */
function createTracing(tracer: Tracer, propagator: PropagationAPI): Tracing {
  const replacedFields: ReadonlySet<string> = new Set(
    propagator.fields().map((name) => name.toLowerCase()),
  );

  /** Only a trusted proxy can set the trace and its sampling. */
  const parentOf = ({ trusted, headers }: TracedRequest): Context =>
    trusted ? propagator.extract(ROOT_CONTEXT, headers) : ROOT_CONTEXT;

  const fieldsOf = (context: Context): string[] => {
    const carrier: Record<string, string> = {};
    propagator.inject(context, carrier);
    return Object.entries(carrier).flat();
  };

  return (request) => {
    const now = createTimes();
    const startTime = now();
    const options = { kind: SpanKind.SERVER, attributes: serverAttributes(request), startTime };
    const span = tracer.startSpan(spanName(request.method), options, parentOf(request));
    const requestContext = trace.setSpan(ROOT_CONTEXT, span);
    const { traceId, spanId } = span.spanContext();
    return {
      ids: isSpanContextValid(span.spanContext()) ? { traceId, spanId } : undefined,
      decided(decision, requestId) {
        const attributes = {
          'guard.decision': decision,
          ...(requestId !== undefined && { 'guard.request_id': requestId }),
        };
        span.setAttributes(attributes);
        tracer.startSpan('guard.decide', { attributes, startTime }, requestContext).end(now());
      },
      sent(origin, attempt) {
        const attributes = {
          ...methodAttributes(request.method),
          'url.path': request.path,
          'server.address': origin.host,
          ...(origin.port !== undefined && { 'server.port': origin.port }),
          ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
        };
        const spanOptions = { kind: SpanKind.CLIENT, attributes, startTime: now() };
        const attemptSpan = tracer.startSpan(spanName(request.method), spanOptions, requestContext);
        return {
          replaced: replacedFields,
          fields: fieldsOf(trace.setSpan(ROOT_CONTEXT, attemptSpan)),
          answered: (status) => {
            endWithStatus(attemptSpan, status, 400);
          },
          ended: (error) => {
            if (error !== undefined) fail(attemptSpan, error);
            attemptSpan.end(now());
          },
        };
      },
      ended(status) {
        endWithStatus(span, status, 500);
        span.end(now());
      },
    } satisfies RequestTrace;
  };
}

/**
 * The time in milliseconds since the epoch, with fractions, because decisions take microseconds. Changes of the system
 * clock have no effect.
 */
function createTimes(): () => number {
  const startEpochMs = Date.now();
  const startMs = performance.now();
  return () => startEpochMs + (performance.now() - startMs);
}

/** In these conventions an answer is an error from status 500 on for a server, and from status 400 on for a client. */
function endWithStatus(span: Span, status: number | undefined, errorFrom: number): void {
  if (status === undefined) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= errorFrom) fail(span, String(status));
}

function fail(span: Span, error: string): void {
  span.setAttribute('error.type', error);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function serverAttributes(request: TracedRequest): Attributes {
  const { host, path, scheme, httpVersion, site } = request;
  return {
    ...methodAttributes(request.method),
    'url.scheme': scheme,
    'url.path': path,
    'server.address': host.replace(/:\d*$/, ''),
    ...(httpVersion !== undefined && {
      'network.protocol.version': httpVersion === '2.0' ? '2' : httpVersion,
    }),
    'guard.site': site,
  };
}

/** The methods of RFC 9110 section 9 and RFC 5789. Names that visitors invent must not become names of spans. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** The name has only the method, because the route is unknown. So there are only a few names of spans. */
function spanName(method: string): string {
  return KNOWN_METHODS.has(method) ? method : 'HTTP';
}

function methodAttributes(method: string): Attributes {
  return KNOWN_METHODS.has(method)
    ? { 'http.request.method': method }
    : { 'http.request.method': '_OTHER', 'http.request.method_original': method.slice(0, 64) };
}
