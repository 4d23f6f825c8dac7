import type { Log } from '@guard/config/contract/ports';
import { type LoadResult, parseSettings } from '@guard/config/settings/load';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import type { Settings } from '@guard/config/settings/schema';
import { expect, test } from 'vitest';
import type { SettingsReading } from './read-again.ts';
import { createReloader } from './reloader.ts';

const START = `version: 1
listen: { admin: 127.0.0.1:1 }
secret: b8d2046a7f3c1e95b8d2047a7f3c1e95
analytics: { engine: embedded, path: ./data }
organisations: [{ id: acme }]
`;

function parseText(text: string): LoadResult {
  return parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: {} });
}

/** Starts a reloader whose settings are texts. Records its log, its counts and the settings that it applies. */
function startReloader() {
  const first = parseText(START);
  if (first.kind === 'invalid') throw new Error(JSON.stringify(first.problems));
  const gauges = new Map<string, () => unknown>();
  const lines: { event: string; fields: Parameters<Log>[2] }[] = [];
  const countedResults: (string | undefined)[] = [];
  const appliedSettings: Settings[] = [];
  const state = { text: START, now: 1_000_000, apply: () => Promise.resolve(0) };
  const reloader = createReloader({
    file: 'guard.yaml',
    load: () => {
      const result = parseText(state.text);
      const loadResult: SettingsReading =
        result.kind === 'loaded'
          ? { ...result, revision: settingsRevision(result.settings) }
          : result;
      return Promise.resolve(loadResult);
    },
    loadedAtStart: first,
    apply: ({ settings }) => {
      appliedSettings.push(settings);
      return state.apply();
    },
    watch: false,
    clock: () => state.now,
    log: (_level, event, fields) => lines.push({ event, fields }),
    metrics: {
      count: (_name, outcome) => countedResults.push(outcome),
      gauge: (name, value) => gauges.set(name, value),
    },
  });
  return {
    state,
    reloader,
    lines,
    counted: countedResults,
    applied: appliedSettings,
    gauge: (name: string) => gauges.get(name)?.(),
  };
}

test('a change that needs a restart is logged with its position, and a metric counts it until it is undone', async () => {
  const { state, reloader, lines, gauge } = startReloader();
  state.text = START.replace('admin: 127.0.0.1:1', 'api: 127.0.0.1:2')
    .replace('./data', './elsewhere')
    .replace('[{ id: acme }]', '[{ id: acme }, { id: late }]');
  await reloader.reload('file');
  const needLines = lines.filter(({ event }) => event === 'reload_needs_restart');
  expect(needLines.map(({ fields }) => fields)).toEqual([
    { setting: 'listen.admin', place: 'guard.yaml:2:9' },
    { setting: 'listen.api', place: 'guard.yaml:2:11' },
    { setting: 'analytics', place: 'guard.yaml:4:1' },
  ]);
  expect(lines.at(-1)).toEqual({
    event: 'reload_applied',
    fields: {
      cause: 'file',
      file: 'guard.yaml',
      changed: 'organisations.late (added)',
      revision: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
      awaitingRestart: 3,
    },
  });
  const revision = String(lines.at(-1)?.fields?.['revision']);
  expect(gauge('guard_settings_info')).toEqual(new Map([[revision, 1]]));
  expect(gauge('guard_settings_awaiting_restart')).toBe(3);
  state.text = START;
  await reloader.reload('signal');
  expect(gauge('guard_settings_awaiting_restart')).toBe(0);
});

test('calls during a reload cause one more reload, with the content of the file at that time', async () => {
  const { state, reloader, applied } = startReloader();
  const settingsRead = Promise.withResolvers<number>();
  state.apply = () => settingsRead.promise;
  const first = reloader.reload('signal');
  await Promise.resolve();
  state.text = START + 'observe: true\n';
  const furtherReloads = [
    reloader.reload('signal'),
    reloader.reload('file'),
    reloader.reload('signal'),
  ];
  settingsRead.resolve(0);
  await Promise.all([first, ...furtherReloads]);
  expect(applied.map(({ observe }) => observe)).toEqual([false, true]);
});

test('settings that cannot be applied are refused with the reason, and the age of the settings keeps growing', async () => {
  const { state, reloader, lines, counted, gauge } = startReloader();
  state.now += 60_000;
  state.apply = () => Promise.reject(new Error('not a country database: /x.mmdb'));
  await reloader.reload('signal');
  expect(lines).toEqual([
    {
      event: 'reload_refused',
      fields: {
        cause: 'signal',
        file: 'guard.yaml',
        problems: 1,
        reason: 'not a country database: /x.mmdb',
      },
    },
  ]);
  expect([gauge('guard_last_reload_successful'), gauge('guard_settings_age_seconds')]).toEqual([
    0, 60,
  ]);
  state.apply = () => Promise.resolve(0);
  await reloader.reload('signal');
  expect([gauge('guard_last_reload_successful'), gauge('guard_settings_age_seconds')]).toEqual([
    1, 0,
  ]);
  expect(counted).toEqual(['refused', 'applied']);
});

test('settings that a worker thread cannot apply are reported as partly applied', async () => {
  const { state, reloader, lines, counted, gauge } = startReloader();
  state.text = START + 'observe: true\n';
  state.apply = () => Promise.resolve(2);
  await reloader.reload('file');
  expect(lines).toMatchObject([
    { event: 'reload_applied_in_part', fields: { changed: 'observe', threadsWithout: 2 } },
  ]);
  expect([counted, gauge('guard_last_reload_successful')]).toEqual([['partly'], 1]);
});
