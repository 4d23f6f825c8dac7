import { NetworkCatalogue } from '@guard/config/catalogue/networks';
import type { Settings } from '@guard/config/settings/schema';
import { readCombinedLine } from '../logged/combined-log.ts';
import { readJsonLine } from '../logged/json-log.ts';
import type { LineReading, LoggedRequest } from '../logged/logged-request.ts';
import { createSettingsJudge, type JudgeOptions, type SettingsJudge } from './judge-settings.ts';
import { sessionsNamedIn } from './named-sessions.ts';
import { type Report, Tally } from './tally.ts';

export interface ComparisonPlan extends Omit<JudgeOptions, 'networks' | 'namedSessions'> {
  readonly candidate: Settings;
  /** The settings to compare with. When undefined, the candidate is compared with the recorded results. */
  readonly against: Settings | undefined;
}

export interface ComparisonResult extends Report {
  /** The data that rules need and the log does not have. */
  readonly unknown: readonly string[];
  /** Number of requests whose headers are known, so that detection could judge them. */
  readonly withHeaders: number;
}

/** Judges each line of a log with the candidate settings, and counts what would change. */
export class Comparison {
  readonly #candidate: SettingsJudge;
  readonly #against: SettingsJudge | undefined;
  readonly #tally = new Tally();
  #requestsWithHeaders = 0;

  /** Throws an Error when a validator cannot be built from the settings. */
  constructor({ candidate, against, ...options }: ComparisonPlan) {
    const namedSessions = sessionsNamedIn(against ? [candidate, against] : [candidate]);
    const judgeOptions = { ...options, namedSessions, networks: NetworkCatalogue.load() };
    this.#candidate = createSettingsJudge(candidate, judgeOptions);
    this.#against = against && createSettingsJudge(against, judgeOptions);
  }

  /** `number` is the line number in the file, from 1. */
  take(line: string, file: string, number: number): void {
    const reading = readLine(line);
    const reason = reading.kind === 'unreadable' ? reading.reason : this.#compare(reading.request);
    if (reason !== undefined) this.addFault(reason, file, number);
    else if (reading.kind === 'request' && reading.request.headers) this.#requestsWithHeaders += 1;
  }

  /** Counts a line that cannot be judged. `reason` is a part of a sentence, and the report adds the rest. */
  addFault(reason: string, file: string, number: number): void {
    this.#tally.addFault({ file, line: number, reason });
  }

  /** The result for all lines so far. */
  report(): ComparisonResult {
    const againstData = this.#against?.missingData() ?? [];
    const missingData = new Set([...this.#candidate.missingData(), ...againstData]);
    return {
      ...this.#tally.report(),
      unknown: [...missingData],
      withHeaders: this.#requestsWithHeaders,
    };
  }

  /** Judges a request. Returns undefined when it was judged, else the reason as a part of a sentence. */
  #compare(request: LoggedRequest): string | undefined {
    const candidateAnswer = this.#candidate.judge(request);
    if (candidateAnswer.kind === 'unreadable') return candidateAnswer.reason;
    const againstAnswer = this.#against?.judge(request);
    if (againstAnswer?.kind === 'unreadable') return againstAnswer.reason;
    const outcomeBefore = againstAnswer?.judged.outcome ?? request.recordedOutcome;
    this.#tally.add(request, outcomeBefore, candidateAnswer.judged);
    return undefined;
  }
}

/** Parses a line of any supported log format. */
export function readLine(line: string): LineReading {
  return line.startsWith('{') ? readJsonLine(line) : readCombinedLine(line);
}
