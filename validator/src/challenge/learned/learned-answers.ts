import { createHash, randomBytes } from 'node:crypto';
import type { Reason } from '@guard/config/contract/reasons';
import { parseIp } from '@guard/config/net/cidr';
import { siteNetworkOf } from '@guard/config/net/network-of';
import { LRUCache } from 'lru-cache';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { ENGINES, readPageClaim } from '../../request/browser-claim.ts';
import { type Evidence, valueOfReading } from '../../../page-contract/evidence.ts';
import type { Ticket } from '../tickets/ticket.ts';
import { AnswerTable } from './answer-table.ts';
import { createQuestionPool, QUESTIONS } from './question-pool.ts';

/** With this many rare answers on one page there is a finding. A font or a setting can cause one or two. */
const RARE_ANSWERS = 3;
/** With so many answers that no engine gives, a page is no browser. A fifth answer may have been copied or guessed. */
const STRANGE_ANSWERS = 4;
/** An extension may break this many answers. */
const MAY_LACK = 2;
/** Maximum number of tables in memory, with about 700 bytes each. The least recently used table is removed first. */
const MAX_TABLES = 4096;

interface AnswersJudgement {
  /** The page got questions, and answered fewer of them than any browser does. */
  readonly isLacking: boolean;
  readonly found: readonly Reason[];
}

/** The fields of a ticket that are used. */
type AskedTicket = Pick<Ticket, 'id' | 'issuedAt' | 'origin'>;
type GivenEvidence = Pick<Evidence, 'agent' | 'readings'>;

export interface LearnedAnswers {
  /** Compares the answers of a page with the answers of other visitors. Stores nothing. */
  readonly judge: (ticket: AskedTicket, evidence: GivenEvidence) => AnswersJudgement;
  /** Learns from a page when all other evidence shows a person. `ip` is the address of the upload. */
  readonly teach: (ticket: AskedTicket, evidence: GivenEvidence, ip: string) => void;
}

const NO_FINDING: AnswersJudgement = { isLacking: false, found: [] };

/**
 * Asks questions that the server cannot answer (question-pool.ts): how a browser engine writes, breaks and lays out. A
 * reader of Guard's code can compute everything that Guard computes. But the answers to these questions are in no
 * file. Guard learns them from visitors, for each engine, version and system. So a program needs an engine of the
 * claimed version, or has to ask one each time.
 *
 * - Only hashes are sent and stored, in the memory of one thread. Nothing is written to disk.
 * - One network has one vote for each question and kind of browser, so a single address cannot teach.
 * - When a version has too few visitors, all versions of its engine are compared instead. Versions give nearly the
 *   same answers.
 * - A rare answer does not teach the table in which it is rare. So a crowd with a wrong answer stays rare if people
 *   have answered first. New versions are learned as they appear, because they have no answers yet.
 * - A rare answer is a weak finding, because enough networks can teach a wrong answer for a browser with few users.
 * - Answers that no engine gives are a strong finding when all three engines are learned: an extension that changes
 *   the name does not change the engine. They are not conclusive, because a crowd that comes first could lock people
 *   out.
 */
export function createLearnedAnswers(secrets: readonly string[]): LearnedAnswers {
  const pool = createQuestionPool(secrets);
  const tables = new LRUCache<string, AnswerTable>({ max: MAX_TABLES });
  // Without a salt, an attacker could hash all networks and so read the networks in memory.
  const salt = randomBytes(16);

  function answersOf(
    { id, issuedAt }: AskedTicket,
    { readings }: GivenEvidence,
  ): readonly Answer[] | undefined {
    const reading = valueOfReading(readings.answers);
    const questions = reading && pool.read(id, issuedAt, reading.asked);
    return questions?.flatMap((question, index) => {
      const hash = reading?.hashes[index] ?? undefined;
      return hash === undefined ? [] : [{ question: hashOf(question), hash }];
    });
  }

  function isRareIn(group: string, answers: readonly Answer[]): boolean | undefined {
    const standings = answers.map(
      ({ question, hash }) => tables.get(`${group} ${question}`)?.standingOf(hash) ?? 'unknown',
    );
    const rareCount = standings.filter((standing) => standing === 'rare').length;
    const knownCount = standings.filter((standing) => standing !== 'unknown').length;
    return knownCount < RARE_ANSWERS ? undefined : rareCount >= RARE_ANSWERS;
  }

  /** Whether no engine gives these answers. All engines must be learned: an extension may claim another engine. */
  function isOfNoEngine(answers: readonly Answer[]): boolean {
    const strangeAnswers = answers.filter(({ question, hash }) =>
      ENGINES.every((engine) => tables.get(`${engine} ${question}`)?.neverGave(hash)),
    );
    return strangeAnswers.length >= STRANGE_ANSWERS;
  }

  return {
    judge(ticket, evidence) {
      // A page with the browser script belongs to the site and gets no questions.
      if (ticket.origin !== '') return NO_FINDING;
      const answers = answersOf(ticket, evidence);
      if (!answers || answers.length < QUESTIONS - MAY_LACK) return { isLacking: true, found: [] };
      const [versionGroup, engineGroup] = groupsOf(evidence);
      const isRare = isRareIn(versionGroup, answers) ?? isRareIn(engineGroup, answers) ?? false;
      if (!isRare) return NO_FINDING;
      const finding = isOfNoEngine(answers) ? 'answers_of_no_engine' : 'answers_rare';
      return { isLacking: false, found: [finding] };
    },
    teach(ticket, evidence, ip) {
      const address = parseIp(ip);
      const answers = answersOf(ticket, evidence);
      if (address === undefined || !answers) return;
      const network = hashOfNetwork(address, salt);
      for (const group of groupsOf(evidence)) {
        if (isRareIn(group, answers)) continue;
        for (const { question, hash } of answers) {
          const name = `${group} ${question}`;
          const table = tables.get(name) ?? new AnswerTable();
          table.teach(network, hash);
          tables.set(name, table);
        }
      }
    },
  };
}

interface Answer {
  /** Hash of the text of the question. */
  readonly question: number;
  readonly hash: number;
}

/** The claimed engine, version and system of a page, and the engine alone. */
function groupsOf({ agent }: GivenEvidence): readonly [own: string, engine: string] {
  const { engine = 'other', major, platform } = readPageClaim(agent.userAgent);
  // Minor versions of Safari differ as much as major versions of other browsers.
  const minor = engine === 'webkit' ? (/Version\/\d+(\.\d+)/.exec(agent.userAgent)?.[1] ?? '') : '';
  return [`${engine} ${major}${minor} ${platform}`, engine];
}

/** A /48 of IPv6 counts as one network, because one customer can get it, with 65,536 networks of the usual size. */
function hashOfNetwork(address: string, salt: Uint8Array): number {
  return createHash('sha256').update(salt).update(siteNetworkOf(address)).digest().readUInt32LE(0);
}
