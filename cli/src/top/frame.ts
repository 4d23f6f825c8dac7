import { describeDataAge } from '../running-guard/data-age.ts';
import { type Named, RECENT_S } from './recent.ts';
import { type Rate, type Snapshot, totalPerSecond } from './snapshot.ts';

/** Size of the terminal in characters. Infinity when there is no terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A line, and whether it is a heading or an alarm. */
export interface Line {
  readonly text: string;
  readonly kind: 'plain' | 'heading' | 'alarm';
}

const LABEL_WIDTH = 12;
/** Two lists fit into 80 columns, and the second one fits an IPv6 address with its count. */
const LEFT_WIDTH = 32;
const RIGHT_WIDTH = 46;
const GAP = 2;
/** Most lines for sites, so that the other lists keep theirs. */
const MOST_SITES = 4;

/** The lines to show, cut to the size of the terminal. */
export function frameOf(source: string, snapshot: Snapshot, size: Size): Line[] {
  const head = [
    heading(`guard top  ${source}  ${timeOf(snapshot.atMs)}`),
    plain(''),
    ...figures(snapshot),
  ];
  const { alarms } = snapshot;
  const top = [
    ...head,
    ...alarms.map((text): Line => ({ text: `! ${text}`, kind: 'alarm' })),
    plain(''),
  ];
  return [...top, ...lists(snapshot, size.rows - top.length)]
    .slice(0, size.rows)
    .map(({ text, kind }) => ({ kind, text: text.slice(0, size.columns) }));
}

/** One log line, for output without a terminal. */
export function lineOf(snapshot: Snapshot): string {
  const { decisions, originErrors, alarms, recent } = snapshot;
  const [reason] = recent.kind === 'counted' ? recent.reasons : [];
  return [
    timeOf(snapshot.atMs),
    `${perSecond(totalPerSecond(decisions))} decisions/s`,
    ...decisions.map(({ name, perSecond: rate }) => `${name} ${perSecond(rate)}`),
    `origin errors ${perSecond(totalPerSecond(originErrors))}`,
    ...(reason === undefined ? [] : [`mostly ${reason.name}`]),
    ...alarms.map((text) => `! ${text}`),
  ].join('  ');
}

function figures(snapshot: Snapshot): Line[] {
  const { recent, sessions, eventsQueued, dataAge } = snapshot;
  const took =
    recent.kind === 'counted' && recent.p50Ms !== undefined && recent.p99Ms !== undefined
      ? `p50 ${recent.p50Ms.toFixed(1)} ms  p99 ${recent.p99Ms.toFixed(1)} ms`
      : '–';
  return [
    figure('decisions', rated(snapshot.decisions)),
    figure('requests', rated(snapshot.requests)),
    figure('challenges', rated(snapshot.challenges)),
    figure('origin', failures(snapshot.originErrors, 'no errors')),
    figure('failed open', failures(snapshot.failedOpen, 'never')),
    figure('deciding', `${took}   sessions ${sessions}   events queued ${eventsQueued}`),
    ...(dataAge === undefined ? [] : [figure('data', describeDataAge(dataAge))]),
  ].map(plain);
}

function lists({ recent }: Snapshot, rows: number): Line[] {
  if (recent.kind === 'unknown') return [plain(`reasons, addresses, sites: ${recent.why}`)];
  const sites = recent.sites.slice(0, MOST_SITES);
  // Room for two headings and an empty line.
  const room = Math.max(0, rows - sites.length - 3);
  const reasons = listed(recent.reasons, room, LEFT_WIDTH);
  const addresses = listed(recent.addresses, room, RIGHT_WIDTH);
  const title = `last ${RECENT_S} s`;
  const height = Math.max(reasons.length, addresses.length);
  return [
    heading(`${`reasons, ${title}`.padEnd(LEFT_WIDTH + GAP)}addresses, ${title}`),
    ...Array.from({ length: height }, (_, at) =>
      plain(`${(reasons[at] ?? '').padEnd(LEFT_WIDTH + GAP)}${addresses[at] ?? ''}`.trimEnd()),
    ),
    plain(''),
    heading(`sites, ${title}`),
    ...listed(sites, MOST_SITES, LEFT_WIDTH).map(plain),
  ];
}

function listed(entries: readonly Named[], room: number, columns: number): string[] {
  return entries.slice(0, room).map(({ name, count }) => {
    const number = String(count);
    const width = columns - number.length - 1;
    return `${name.slice(0, width).padEnd(width)} ${number}`;
  });
}

function rated(rates: readonly Rate[]): string {
  const parts = rates.map(({ name, perSecond: rate }) => `${name} ${perSecond(rate)}`);
  return [`${perSecond(totalPerSecond(rates))}/s`.padEnd(11), ...parts].join('  ');
}

function failures(rates: readonly Rate[], none: string): string {
  const total = rates.reduce((sum, rate) => sum + rate.total, 0);
  return total === 0 ? none : `${rated(rates)}  (${total} since the start)`;
}

function perSecond(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate.toFixed(1);
}

function figure(label: string, text: string): string {
  return label.padEnd(LABEL_WIDTH) + text;
}

/** In UTC, like the events. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

function plain(text: string): Line {
  return { text, kind: 'plain' };
}

function heading(text: string): Line {
  return { text, kind: 'heading' };
}
