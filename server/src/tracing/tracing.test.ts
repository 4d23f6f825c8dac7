import { trace } from '@opentelemetry/api';
import { afterEach, expect, test } from 'vitest';
import { openTracing } from './tracing.ts';

const API_SYMBOL = Symbol.for('opentelemetry.js.api.1');
const logLines: string[] = [];
const log = (level: string, event: string): void => {
  logLines.push(`${level} ${event}`);
};

afterEach(() => {
  trace.disable();
  Reflect.deleteProperty(globalThis, API_SYMBOL);
  logLines.length = 0;
});

test('without an SDK nothing is traced or logged', () => {
  expect(openTracing(log)).toBeUndefined();
  expect(logLines).toEqual([]);
});

test('a registered provider is used', () => {
  const tracer = trace.getTracer('any');
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  expect(openTracing(log)).toBeTypeOf('function');
  expect(logLines).toEqual([]);
});

test('the API ignores a provider with a lower minor version, so Guard logs that it is unusable', () => {
  const provider = { getTracer: () => trace.getTracer('any') };
  Reflect.set(globalThis, API_SYMBOL, { version: '1.0.0', trace: provider });
  expect(openTracing(log)).toBeUndefined();
  expect(logLines).toEqual(['warn tracing_unusable']);
});
