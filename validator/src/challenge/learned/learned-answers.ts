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

/** This many rare answers on one page are a finding. A font or a setting can cause one or two. */
const RARE_ANSWERS = 3;
/** This many answers that no engine gives show that there is no browser. The fifth answer can be copied or guessed. */
const STRANGE_ANSWERS = 4;
/** This many answers can be missing, because extensions break some. */
const MAY_LACK = 2;
/** Maximum number of tables in memory, with about 700 bytes each. The least recently used table is removed first. */
const MAX_TABLES = 4096;

interface AnswersJudgement {
  /** Whether the page answered fewer of its questions than any browser does. */
  readonly isLacking: boolean;
  readonly found: readonly Reason[];
}

/** The fields of a ticket that this file uses. */
type AskedTicket = Pick<Ticket, 'id' | 'issuedAt' | 'origin'>;
type GivenEvidence = Pick<Evidence, 'agent' | 'readings'>;

export interface LearnedAnswers {
  /** Compares the answers of a page with the answers of other visitors. Stores nothing. */
  readonly judge: (ticket: AskedTicket, evidence: GivenEvidence) => AnswersJudgement;
  /**
   * Learns the answers of a page. Call it only when all other evidence shows a person. `ip` is the address of the
   * upload.
   */
  readonly teach: (ticket: AskedTicket, evidence: GivenEvidence, ip: string) => void;
}

const NO_FINDING: AnswersJudgement = { isLacking: false, found: [] };

/**
 * Asks questions that the server cannot answer (question-pool.ts): how a browser engine serialises CSS, breaks lines
 * and lays out boxes. Programs can use Guard's public code to compute everything that Guard computes. But the answers
 * to these questions are in no file. Guard learns them from visitors, for each engine, version and system. So a program
 * needs an engine of the claimed version for each page.
 *
 * - Only hashes are sent and stored, in the memory of one thread. Nothing is written to disk.
 * - One network has one vote for each question and kind of browser, so a single address cannot teach.
 * - When a version has too few visitors, Guard compares with all versions of its engine. Versions give nearly the same
 * answers.
 * - When the answers of a page are rare in a table, the table does not learn them. So the wrong answers of a crowd stay
 * rare if people have answered first. The answers of a new version are learned at once, because its table is empty.
 * - Rare answers are a weak finding, because enough networks can teach wrong answers for a browser with few users.
 * - Answers that no engine gives are a strong finding, when Guard has learned the answers of all three engines. An
 * extension can change a browser's name, but not its engine. The finding is not conclusive, because a crowd that
 * answers first could lock people out.
 */
export function createLearnedAnswers(secrets: readonly string[]): LearnedAnswers {
  const pool = createQuestionPool(secrets);
  const tables = new LRUCache<string, AnswerTable>({ max: MAX_TABLES });
  // Without a salt, an attacker could hash all networks, and so find the networks behind the hashes in memory.
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

  /**
   * Whether no engine gives these answers. False until the answers of all engines are learned, because an extension can
   * claim another engine.
   */
  function isOfNoEngine(answers: readonly Answer[]): boolean {
    const strangeAnswers = answers.filter(({ question, hash }) =>
      ENGINES.every((engine) => tables.get(`${engine} ${question}`)?.neverGave(hash)),
    );
    return strangeAnswers.length >= STRANGE_ANSWERS;
  }

  return {
    judge(ticket, evidence) {
      // A page of the site with the browser script gets no questions.
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

/** The names of two groups of browsers: the claimed engine, version and system, and only the engine. */
function groupsOf({ agent }: GivenEvidence): readonly [own: string, engine: string] {
  const { engine = 'other', major, platform } = readPageClaim(agent.userAgent);
  // Minor versions of Safari differ as much as major versions of other browsers.
  const minor = engine === 'webkit' ? (/Version\/\d+(\.\d+)/.exec(agent.userAgent)?.[1] ?? '') : '';
  return [`${engine} ${major}${minor} ${platform}`, engine];
}

/**
 * The hash of an address's network. In IPv6 the network is the /48, because one customer can get a /48 with 65,536
 * networks of the usual size.
 */
function hashOfNetwork(address: string, salt: Uint8Array): number {
  return createHash('sha256').update(salt).update(siteNetworkOf(address)).digest().readUInt32LE(0);
}
