import type { Health } from '../../page-contract/health.ts';
import { useNavigation } from '../navigation.tsx';
import { request } from './query.ts';
import { useAnswer } from './use-answer.ts';

export function useHealth() {
  const { now } = useNavigation();
  return useAnswer(
    async (signal) => {
      const response = await request('/api/health', { signal });
      if (!response.ok) throw new Error(`The server answered ${response.status}.`);
      return (await response.json()) as Health;
    },
    [now],
  );
}

/** Returns the sum of a metric over all labels that contain `label`. Undefined when the metric does not exist. */
export function metric({ metrics }: Health, name: string, label = ''): number | undefined {
  const foundMetrics = Object.entries(metrics).filter(
    ([key]) => (key === name || key.startsWith(`${name}{`)) && key.includes(label),
  );
  return foundMetrics.length === 0
    ? undefined
    : foundMetrics.reduce((sum, [, value]) => sum + value, 0);
}
