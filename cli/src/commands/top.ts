import { findGuard, FIND_GUARD_OPTIONS, missingListenerText } from '../running-guard/find-guard.ts';
import { printOnce, showLive } from '../top/run-top.ts';
import { createCommand } from '../command-line/command.ts';
import { switchOption, valueOption } from '../command-line/options.ts';

const TIMEOUT_MS = 5_000;

export const top = createCommand({
  name: 'top',
  summary: 'Watch a running Guard: decisions per second, reasons, addresses.',
  usage: [
    'guard top [--config FILE] [--once] [--json]',
    'guard top --admin URL [--api URL] [--once] [--json]',
  ],
  about: `Shows what a running Guard does: decisions and requests per second, challenges, errors of the
origin, and what needs attention, from GET /metrics of its admin listener. With an analytics
key also reasons, addresses and sites of the last minute, and how long decisions took.

q or Ctrl-C ends it. Without a terminal it prints one line per update.`,
  options: {
    ...FIND_GUARD_OPTIONS,
    interval: { ...valueOption('SECONDS', 'seconds between two updates, default 2'), default: '2' },
    once: switchOption('print the state once and end'),
    json: switchOption('print the state once as a JSON object and end'),
  },
  exits:
    '0 ended, or printed; 1 the settings are refused, or Guard gives no answer; 2 called wrongly.',
  async run({ values, positionals }) {
    const [more] = positionals;
    if (more !== undefined) return `unexpected word: ${more}`;
    const intervalS = Number(values.interval);
    if (!(intervalS >= 0.2 && intervalS <= 60)) return '--interval takes 0.2 to 60 seconds';
    const guard = findGuard(values);
    if (typeof guard !== 'object') return guard;
    const { admin, events } = guard;
    if (admin === undefined) return missingListenerText('admin');
    const watchOptions = { admin, events, intervalMs: intervalS * 1000, timeoutMs: TIMEOUT_MS };
    return values.once || values.json
      ? printOnce(watchOptions, values.json)
      : showLive(watchOptions);
  },
});
