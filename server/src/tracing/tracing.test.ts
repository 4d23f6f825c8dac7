import { trace } from '@opentelemetry/api';
import { afterEach, expect, test } from 'vitest';
import { openTracing } from './tracing.ts';

const REGISTERED = Symbol.for('opentelemetry.js.api.1');
const logged: string[] = [];
const log = (level: string, event: string): void => {
  logged.push(`${level} ${event}`);
};

afterEach(() => {
  trace.disable();
  Reflect.deleteProperty(globalThis, REGISTERED);
  logged.length = 0;
});

test('without an SDK nothing is traced or logged', () => {
  expect(openTracing(log)).toBeUndefined();
  expect(logged).toEqual([]);
});

test('a registered provider is used', () => {
  const tracer = trace.getTracer('any');
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  expect(openTracing(log)).toBeTypeOf('function');
  expect(logged).toEqual([]);
});

test('a provider with a lower minor version, which the API ignores, is logged as unusable', () => {
  const provider = { getTracer: () => trace.getTracer('any') };
  Reflect.set(globalThis, REGISTERED, { version: '1.0.0', trace: provider });
  expect(openTracing(log)).toBeUndefined();
  expect(logged).toEqual(['warn tracing_unusable']);
});
