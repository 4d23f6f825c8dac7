import type { Clock, Log, Metrics, RequestEnded } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import { ipv6NetworkOf } from '@guard/config/net/network-of';
import type { Organisation } from '@guard/config/settings/schema';
import { clientShape } from '../../request/client-shape.ts';
import type { Facts } from '../../request/facts.ts';
import { countsAsPage, isFileOfPage } from '../../request/representation.ts';
import { waitFor, withOneMore } from '../../rules/gcra.ts';
import type { AnswerWatch } from '../counts/answer-watch.ts';
import { FLOOR, FLOOR_OF_MANY, Group } from './group.ts';
import { isKnown, KnownGroups } from './known-groups.ts';
import { nameOfPart, PartOfSite } from './part-of-site.ts';

type Cause = Extract<Reason, 'pressure_by_client' | 'pressure_on_path' | 'pressure_on_origin'>;

/** Limits the log lines, because an attacker can make many groups. */
const LINES = { requests: 20, perMs: 600_000 };
/** Maximum number of groups under pressure whose begin and end are logged. More groups can be under pressure. */
const MAX_LOGGED = 1_024;
/** Time between two checks whether groups have become normal again. */
const LOOK_EVERY_MS = 1_000;

export interface PressurePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'count'>;
}

interface HeldGroup {
  readonly cause: Cause;
  readonly group: Pick<Group, 'name' | 'isHeld'>;
}

/**
 * Ends the free pages of groups under pressure, for `challenge: auto`. A group is one client shape, all new client
 * shapes together, or a part of a site. A group is under pressure while its visitors take far more free pages than
 * normal. A part of a site is also under pressure while its origin is strained.
 *
 * Only free pages are counted, and not the pages of visitors with a pass. One address has few free pages, so one
 * address cannot cause pressure. Each thread counts separately.
 */
export class Pressure {
  readonly #organisation: string;
  readonly #ports: PressurePorts;
  readonly #shapes = new KnownGroups((name, nowMs) => new Group(name, nowMs, FLOOR));
  readonly #newShapes = new Group('new clients', 0, FLOOR_OF_MANY);
  readonly #parts = new KnownGroups((name, nowMs) => new PartOfSite(name, nowMs));
  readonly #heldGroups = new Map<string, HeldGroup>();
  #lookAt = 0;
  #lines = 0;

  /** Undefined when the organisation has no free pages, or has set `pressure: false`. */
  static of(
    { id, challenge }: Pick<Organisation, 'id' | 'challenge'>,
    ports: PressurePorts,
  ): Pressure | undefined {
    const isOff = challenge.free_pages === false || !challenge.pressure;
    return isOff ? undefined : new Pressure(id, ports);
  }

  constructor(organisation: string, ports: PressurePorts) {
    this.#organisation = organisation;
    this.#ports = ports;
  }

  /** Returns why a visitor without a pass is challenged now. Counts a page when its group is under pressure. */
  causeFor(facts: Facts, site: string): Cause | undefined {
    if (this.#heldGroups.size === 0) return undefined;
    const nowMs = this.#ports.clock();
    this.#reportEnds(nowMs);
    if (isFile(facts)) return undefined;
    const part = this.#parts.find(nameOfPart(facts, site));
    const strain = part?.origin.strain(nowMs);
    if (strain === 'errors' || (strain === 'slow' && !isDataOfOpenPage(facts))) {
      return 'pressure_on_origin';
    }
    // Only the answer to a request for data shows whether it takes a free page.
    if (!countsAsPage(facts)) return undefined;
    const isUnder = (group: Group | undefined) => group?.isHeld(nowMs) === true && group.add(nowMs);
    const shape = this.#shapes.find(clientShape(facts));
    if (isUnder(shape)) return 'pressure_by_client';
    const isNew = shape === undefined || !isKnown(shape, nowMs);
    if (isNew && isUnder(this.#newShapes)) return 'pressure_by_client';
    return isUnder(part) ? 'pressure_on_path' : undefined;
  }

  /**
   * Whether the visitor's client shape is under pressure. Then each of its addresses gets only a few documents. Counts
   * nothing.
   */
  isOnClient(facts: Facts, nowMs: number): boolean {
    if (this.#heldGroups.size === 0) return false;
    const shape = this.#shapes.find(clientShape(facts));
    if (shape?.isHeld(nowMs) === true) return true;
    return (shape === undefined || !isKnown(shape, nowMs)) && this.#newShapes.isHeld(nowMs);
  }

  /**
   * Counts a request that took a free page, or whose answer took a free page. Returns the cause when a group is under
   * pressure, even when this page is the first above the limit.
   */
  take(facts: Facts, site: string): Cause | undefined {
    const nowMs = this.#ports.clock();
    const shape = this.#shapes.findOrAdd(clientShape(facts), nowMs);
    const part = this.#parts.findOrAdd(nameOfPart(facts, site), nowMs);
    if (shape.add(nowMs)) {
      if (!isKnown(shape, nowMs)) this.#newShapes.forget(shape);
      part.forget(shape);
      return this.#begin('pressure_by_client', shape);
    }
    if (!isKnown(shape, nowMs) && this.#newShapes.add(nowMs)) {
      part.forget(this.#newShapes);
      return this.#begin('pressure_by_client', this.#newShapes);
    }
    return part.add(nowMs) ? this.#begin('pressure_on_path', part) : undefined;
  }

  /** Watches a request, and counts the answer of the origin. `inner` is another watch of the same request. */
  watch(facts: Facts, site: string, inner?: AnswerWatch): AnswerWatch | undefined {
    if (isFile(facts)) return inner;
    const ended: RequestEnded = (ending, answer) => {
      inner?.ended(ending, answer);
      if (answer === undefined) return;
      const nowMs = this.#ports.clock();
      const part = this.#parts.findOrAdd(nameOfPart(facts, site), nowMs);
      const { origin, name } = part;
      if (!origin.countAnswer(answer.status, answer.ms, holderOf(facts.ip), nowMs)) return;
      this.#begin('pressure_on_origin', { name, isHeld: (at) => origin.isHeld(at) });
    };
    return { admits: inner?.admits, ended };
  }

  #begin(cause: Cause, group: HeldGroup['group']): Cause {
    const key = `${cause} ${group.name}`;
    if (!this.#heldGroups.has(key) && this.#heldGroups.size < MAX_LOGGED) {
      this.#heldGroups.set(key, { cause, group });
      this.#report('pressure_begins', { cause, group });
    }
    return cause;
  }

  #reportEnds(nowMs: number): void {
    if (nowMs < this.#lookAt && this.#lookAt - nowMs <= LOOK_EVERY_MS) return;
    this.#lookAt = nowMs + LOOK_EVERY_MS;
    for (const [key, held] of this.#heldGroups) {
      if (held.group.isHeld(nowMs)) continue;
      this.#heldGroups.delete(key);
      this.#report('pressure_ends', held);
    }
  }

  #report(event: 'pressure_begins' | 'pressure_ends', { cause, group }: HeldGroup): void {
    const { clock, log, metrics } = this.#ports;
    metrics.count('guard_pressure_changes_total', event === 'pressure_begins' ? cause : 'ended');
    const nowMs = clock();
    if (waitFor(this.#lines, nowMs, LINES) > 0) return;
    this.#lines = withOneMore(this.#lines, nowMs, LINES);
    const fields = { organisation: this.#organisation, cause, group: group.name };
    log(event === 'pressure_begins' ? 'warn' : 'info', event, fields);
  }
}

/** Whether the request asks for data of an open page. The page must still work when the origin is only slow. */
function isDataOfOpenPage(facts: Facts): boolean {
  return facts.session.state === 'issued' && !countsAsPage(facts);
}

/**
 * Whether the request asks for a file of a page. Files are never challenged, because other sites and mails show them
 * too.
 */
function isFile(facts: Facts): boolean {
  return isFileOfPage(facts) && !countsAsPage(facts);
}

/**
 * The address of IPv4, or the /48 of IPv6: the largest network that one person gets. A /48 contains 65,536 networks of
 * the usual size.
 */
function holderOf(ip: string): string {
  return ip.includes(':') ? ipv6NetworkOf(ip, 48) : ip;
}
