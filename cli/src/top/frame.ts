import { describeDataAge } from '../running-guard/data-age.ts';
import { type CountedName, RECENT_S } from './recent.ts';
import { type Rate, type Snapshot, totalPerSecond } from './snapshot.ts';

/** The size of the terminal in characters. Infinity when there is no terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Line {
  readonly text: string;
  readonly kind: 'plain' | 'heading' | 'alarm';
}

const LABEL_WIDTH = 12;
/** With this width, two lists fit into 80 columns, and an IPv6 address with its count fits into the second list. */
const LEFT_WIDTH = 32;
const RIGHT_WIDTH = 46;
const GAP = 2;
/** If more sites were shown, no lines would be left for the other lists. */
const MAX_SITES = 4;

/** The lines to show, cut to the size of the terminal. */
export function frameOf(source: string, snapshot: Snapshot, size: Size): Line[] {
  const head = [
    headingLine(`guard top  ${source}  ${timeOf(snapshot.atMs)}`),
    plainLine(''),
    ...figureLines(snapshot),
  ];
  const { alarms } = snapshot;
  const top = [
    ...head,
    ...alarms.map((text): Line => ({ text: `! ${text}`, kind: 'alarm' })),
    plainLine(''),
  ];
  return [...top, ...listLines(snapshot, size.rows - top.length)]
    .slice(0, size.rows)
    .map(({ text, kind }) => ({ kind, text: text.slice(0, size.columns) }));
}

export function lineOf(snapshot: Snapshot): string {
  const { decisions, originErrors, alarms, recent } = snapshot;
  const [reason] = recent.kind === 'counted' ? recent.reasons : [];
  return [
    timeOf(snapshot.atMs),
    `${formatRate(totalPerSecond(decisions))} decisions/s`,
    ...decisions.map(({ name, perSecond: rate }) => `${name} ${formatRate(rate)}`),
    `origin errors ${formatRate(totalPerSecond(originErrors))}`,
    ...(reason === undefined ? [] : [`mostly ${reason.name}`]),
    ...alarms.map((text) => `! ${text}`),
  ].join('  ');
}

function figureLines(snapshot: Snapshot): Line[] {
  const { recent, sessions, eventsQueued, dataAge } = snapshot;
  const durations =
    recent.kind === 'counted' && recent.p50Ms !== undefined && recent.p99Ms !== undefined
      ? `p50 ${recent.p50Ms.toFixed(1)} ms  p99 ${recent.p99Ms.toFixed(1)} ms`
      : '–';
  return [
    figure('decisions', rateText(snapshot.decisions)),
    figure('requests', rateText(snapshot.requests)),
    figure('challenges', rateText(snapshot.challenges)),
    figure('origin', failures(snapshot.originErrors, 'no errors')),
    figure('failed open', failures(snapshot.failedOpen, 'never')),
    figure('deciding', `${durations}   sessions ${sessions}   events queued ${eventsQueued}`),
    ...(dataAge === undefined ? [] : [figure('data', describeDataAge(dataAge))]),
  ].map(plainLine);
}

function listLines({ recent }: Snapshot, rows: number): Line[] {
  if (recent.kind === 'unknown') return [plainLine(`reasons, addresses, sites: ${recent.why}`)];
  const sites = recent.sites.slice(0, MAX_SITES);
  // Three lines are left free for two headings and an empty line.
  const listRows = Math.max(0, rows - sites.length - 3);
  const reasons = listEntries(recent.reasons, listRows, LEFT_WIDTH);
  const addresses = listEntries(recent.addresses, listRows, RIGHT_WIDTH);
  const title = `last ${RECENT_S} s`;
  const height = Math.max(reasons.length, addresses.length);
  return [
    headingLine(`${`reasons, ${title}`.padEnd(LEFT_WIDTH + GAP)}addresses, ${title}`),
    ...Array.from({ length: height }, (_, at) =>
      plainLine(`${(reasons[at] ?? '').padEnd(LEFT_WIDTH + GAP)}${addresses[at] ?? ''}`.trimEnd()),
    ),
    plainLine(''),
    headingLine(`sites, ${title}`),
    ...listEntries(sites, MAX_SITES, LEFT_WIDTH).map(plainLine),
  ];
}

function listEntries(entries: readonly CountedName[], maxRows: number, columns: number): string[] {
  return entries.slice(0, maxRows).map(({ name, count }) => {
    const number = String(count);
    const width = columns - number.length - 1;
    return `${name.slice(0, width).padEnd(width)} ${number}`;
  });
}

function rateText(rates: readonly Rate[]): string {
  const parts = rates.map(({ name, perSecond: rate }) => `${name} ${formatRate(rate)}`);
  return [`${formatRate(totalPerSecond(rates))}/s`.padEnd(11), ...parts].join('  ');
}

function failures(rates: readonly Rate[], zeroText: string): string {
  const total = rates.reduce((sum, rate) => sum + rate.total, 0);
  return total === 0 ? zeroText : `${rateText(rates)}  (${total} since the start)`;
}

function formatRate(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate.toFixed(1);
}

function figure(label: string, text: string): string {
  return label.padEnd(LABEL_WIDTH) + text;
}

/** A time as text in UTC, like the times of events. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

function plainLine(text: string): Line {
  return { text, kind: 'plain' };
}

function headingLine(text: string): Line {
  return { text, kind: 'heading' };
}
