import { fetchAnswer } from './fetch-answer.ts';

/** Guard's own page has some hundred samples. */
const MAX_SAMPLES = 5_000;

/** Values by name and by the value of the only label. The label value is '' without a label. */
export type MetricValues = ReadonlyMap<string, ReadonlyMap<string, number>>;

export type MetricsRead =
  | { readonly kind: 'read'; readonly values: MetricValues; readonly atMs: number }
  /** Why there are no values, as a phrase. */
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

/** Samples of the Prometheus text format. If a sample has several labels, the first one counts. */
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
