import type { Log } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { propagation, trace, type TracerProvider } from '@opentelemetry/api';
import { createTracing } from './create-tracing.ts';

const NAME = 'guard';

/**
 * Opens tracing by the OpenTelemetry SDK that the user has loaded (`--import`). Undefined without one. An
 * SDK that is loaded later is not found, so that requests cost nothing where there is none.
 */
export function openTracing(log: Log): Tracing | undefined {
  const provider = trace.getTracerProvider();
  if (isRegistered(provider)) {
    return createTracing(provider.getTracer(NAME), propagation);
  }
  if (isRegisteredElsewhere()) log('warn', 'tracing_unusable', { reason: 'older_api' });
  return undefined;
}

/** Without an SDK the API gives a placeholder, which has no tracer to delegate to. */
function isRegistered(provider: TracerProvider): boolean {
  if (!('getDelegateTracer' in provider)) return true;
  const { getDelegateTracer } = provider;
  return (
    typeof getDelegateTracer === 'function' &&
    Reflect.apply(getDelegateTracer, provider, [NAME]) !== undefined
  );
}

/**
 * Whether there is a provider that the API does not give us. The API ignores a provider that was registered
 * with a lower minor version than its own, and does not say so.
 */
function isRegisteredElsewhere(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
