import { FINDINGS, type Finding, type Reason, reasons } from '@guard/config/contract/reasons';
import { type Group, POINTS, type Strength } from '@guard/config/contract/strengths';

interface Weight {
  readonly strength: Strength;
  readonly points: number;
  readonly group: Group;
}

type ChangedStrengths = { readonly [Name in Finding]?: Strength | undefined };

/** The strength of each finding for one organisation: the defaults, changed by its settings. */
export class Strengths {
  readonly #weights = new Map<Reason, Weight>();
  readonly #isNoneOff: boolean;

  /** The strengths with these changes. All organisations without changes share one object. */
  static of(changedStrengths: ChangedStrengths): Strengths {
    return Object.keys(changedStrengths).length === 0 ? USUAL : new Strengths(changedStrengths);
  }

  constructor(changedStrengths: ChangedStrengths = {}) {
    for (const name of FINDINGS) {
      const { strength: usual, group } = reasons[name];
      const strength = changedStrengths[name] ?? usual;
      this.#weights.set(name, { strength, points: POINTS[strength], group });
    }
    this.#isNoneOff = FINDINGS.every((name) => this.of(name)?.strength !== 'off');
  }

  /**
   * Strength, points and group of a finding. Undefined for a reason that is no finding: a decision of a rule, or a
   * fault of an upload.
   */
  of(reason: Reason): Weight | undefined {
    return this.#weights.get(reason);
  }

  /** The points of each of these reasons, in their order. */
  pointsOf(findings: readonly Reason[]): readonly number[] {
    return findings.map((reason) => this.of(reason)?.points ?? 0);
  }

  /** The reasons that are not off. Returns `findings` itself when the organisation has set no finding to off. */
  withoutOff(findings: readonly Reason[]): readonly Reason[] {
    if (this.#isNoneOff) return findings;
    return findings.filter((reason) => this.of(reason)?.strength !== 'off');
  }
}

const USUAL = new Strengths();
