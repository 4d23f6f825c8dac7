import type { Log } from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import { propagation, trace, type TracerProvider } from '@opentelemetry/api';
import { createTracing } from './create-tracing.ts';

const NAME = 'guard';

/**
 * Tracing by the OpenTelemetry SDK that the user has brought (`--import`), if there is one by now. One that
 * comes later is not looked for, so that who has none pays nothing.
 */
export function openTracing(log: Log): Tracing | undefined {
  const provider = trace.getTracerProvider();
  if (isRegistered(provider)) {
    return createTracing(provider.getTracer(NAME), propagation);
  }
  if (isRegisteredElsewhere()) log('warn', 'tracing_unusable', { reason: 'older_api' });
  return undefined;
}

/** The API gives a stand-in where nobody has registered one; that has no tracer to hand on. */
function isRegistered(provider: TracerProvider): boolean {
  if (!('getDelegateTracer' in provider)) return true;
  const { getDelegateTracer } = provider;
  return (
    typeof getDelegateTracer === 'function' &&
    Reflect.apply(getDelegateTracer, provider, [NAME]) !== undefined
  );
}

/**
 * Whether there is a provider that the API does not give us. It refuses what was registered with a lower
 * minor version than its own, and would not say so.
 */
function isRegisteredElsewhere(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
