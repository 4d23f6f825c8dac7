import { fetchAnswer } from './fetch-answer.ts';

/** A page of Guard has only some hundred samples. */
const MAX_SAMPLES = 5_000;

/**
 * The value of each metric. The first key is its name, and the second key is the value of its only label, or '' when it
 * has no label.
 */
export type MetricValues = ReadonlyMap<string, ReadonlyMap<string, number>>;

export type MetricsRead =
  | { readonly kind: 'read'; readonly values: MetricValues; readonly atMs: number }
  /** There are no values. `why` is a phrase with the reason. */
  | { readonly kind: 'away'; readonly why: string };

/** Reads `GET /metrics` of the admin listener. Never rejects. */
export async function readMetrics(admin: string, timeoutMs: number): Promise<MetricsRead> {
  const answer = await fetchAnswer(new URL('/metrics', admin), {}, timeoutMs);
  if (answer.kind === 'away') return answer;
  if (answer.status !== 200) return { kind: 'away', why: `it answered ${answer.status}` };
  const values = parseMetrics(answer.body.toString());
  if (!values.has('guard_settings_age_seconds')) {
    return { kind: 'away', why: 'what listens there is no admin listener of Guard' };
  }
  return { kind: 'read', values, atMs: Date.now() };
}

/** Parses samples in the Prometheus text format. If a sample has several labels, the first one is used. */
export function parseMetrics(page: string): MetricValues {
  const values = new Map<string, Map<string, number>>();
  let samples = 0;
  for (const line of page.split('\n')) {
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{\w+="((?:[^"\\]|\\.)*)"[^}]*\})? (\S+)/.exec(line);
    if (sample === null || samples === MAX_SAMPLES) continue;
    const [, name = '', label = '', text = ''] = sample;
    const value = Number(text);
    if (Number.isNaN(value)) continue;
    samples += 1;
    const children = values.get(name) ?? new Map<string, number>();
    values.set(name, children.set(label, value));
  }
  return values;
}
