import type { SettingPath } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { isDeepStrictEqual } from 'node:util';

/** Settings that hold from the start of the process to its end. */
export type StartSettings = Pick<Settings, 'listen' | 'store' | 'analytics' | 'workers'>;

/** New settings, with what holds from the start on as it was then. */
export function asStarted(next: Settings, atStart: StartSettings): Settings {
  const { listen, store, analytics, workers } = atStart;
  return { ...next, listen, store, analytics, workers };
}

/**
 * What differs in new settings from those of the start and only a restart can bring about: where
 * Guard listens, with how many workers, and where it keeps sessions and events.
 */
export function needRestart(atStart: StartSettings, next: Settings): SettingPath[] {
  const listeners = new Set([...Object.keys(atStart.listen), ...Object.keys(next.listen)]);
  return [
    ...[...listeners]
      // Both come from the same schema, so each name is one of its services.
      .filter((name) => !isSame(atStart.listen, next.listen, name as keyof Settings['listen']))
      .map((name) => ['listen', name]),
    ...(['store', 'analytics', 'workers'] as const)
      .filter((name) => !isSame(atStart, next, name))
      .map((name) => [name]),
  ];
}

function isSame<T, K extends keyof T>(before: T, after: Pick<T, K>, name: K): boolean {
  return isDeepStrictEqual(before[name], after[name]);
}
