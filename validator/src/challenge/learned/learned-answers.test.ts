import { beforeEach, describe, expect, test } from 'vitest';
import { hashOf } from '../../../page-contract/text-hash.ts';
import { readFixture } from '../testing/challenged-visitor.ts';
import { MIN_NETWORKS, NETWORKS } from './answer-table.ts';
import { createLearnedAnswers } from './learned-answers.ts';
import { createQuestionPool } from './question-pool.ts';
import { createTicketIds } from './testing/ticket-ids.ts';

const SECRETS = ['the secret of these tests'];
const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

const CHROME = agentOf('Windows NT 10.0; Win64; x64', 'Chrome/156.0.0.0 Safari/537.36');
const NEXT_CHROME = agentOf('Windows NT 10.0; Win64; x64', 'Chrome/157.0.0.0 Safari/537.36');
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0';
const SAFARI = agentOf('Macintosh; Intel Mac OS X 10_15_7', 'Version/18.5 Safari/605.1.15').replace(
  '537.36',
  '605.1.15',
);
const CHROME_ON_LINUX = agentOf('X11; Linux x86_64', 'Chrome/156.0.0.0 Safari/537.36');

function agentOf(system: string, browser: string): string {
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}`;
}

const { readings } = readFixture('human/chrome-windows-office-fonts.json').evidence;
const pool = createQuestionPool(SECRETS);

const { next: newTicketId, restart } = createTicketIds();
beforeEach(restart);

/** Returns the answer of a browser to a question. The question starts with the letter of its kind. */
type Answers = (question: string) => number | null;
const answersOfPeople: Answers = (question) => hashOf(question);
const otherAnswers: Answers = (question) => hashOf(`other ${question}`);
let randomAnswerCount = 0;
/** Returns a new answer at each call. */
const randomAnswers: Answers = (question) => hashOf(`${question} ${randomAnswerCount++}`);

/** An upload for a new ticket, from a browser with these answers. */
function createUpload(answer: Answers, userAgent = CHROME, issuedAt = NOW_MS) {
  const ticket = { id: newTicketId(), issuedAt, origin: '' };
  const questions = pool.issue(ticket.id, issuedAt);
  const value = { asked: hashOf(questions), hashes: questions.split('~').map(answer) };
  const agent = { userAgent, platform: '' };
  return { ticket, evidence: { agent, readings: { ...readings, answers: { value } } } };
}

/** Creates learned answers, and makes several visits from each of so many networks. */
function teachNetworks(networks: number, answer = answersOfPeople, userAgent = CHROME) {
  const learned = createLearnedAnswers(SECRETS);
  const teach = (count: number, answersOf: Answers, from = 0, claimed = userAgent) => {
    for (let network = from; network < from + count; network++) {
      for (let visit = 0; visit < 12; visit++) {
        const { ticket, evidence } = createUpload(answersOf, claimed);
        learned.teach(ticket, evidence, `10.${network >> 8}.${network & 255}.${visit}`);
      }
    }
  };
  const isRare = (answersOf: Answers, claimed = userAgent) => {
    const { ticket, evidence } = createUpload(answersOf, claimed);
    return learned.judge(ticket, evidence).found.includes('answers_rare');
  };
  teach(networks, answer);
  return { learned, teach, isRare };
}

describe('17.3 questions that are learned: comparison with the answers of others', () => {
  test('answers_rare: after sixteen networks have answered, a visitor with other answers has a finding', () => {
    expect(teachNetworks(MIN_NETWORKS - 1).isRare(randomAnswers)).toBe(false);
    const { isRare } = teachNetworks(MIN_NETWORKS);
    expect(isRare(randomAnswers)).toBe(true);
    expect(isRare(otherAnswers)).toBe(true);
    expect(isRare(answersOfPeople)).toBe(false);
  });

  test('one IPv4 network has one vote, and one IPv6 /48 has one vote', () => {
    const { learned, isRare } = teachNetworks(0);
    for (let visit = 0; visit < 500; visit++) {
      const { ticket, evidence } = createUpload(answersOfPeople);
      learned.teach(ticket, evidence, `198.51.100.${visit % 250}`);
      learned.teach(ticket, evidence, `2001:db8:1:${visit.toString(16)}::1`);
    }
    expect(isRare(randomAnswers)).toBe(false);
  });

  test('two rare answers are no finding, because a font or a setting can cause them', () => {
    const { isRare } = teachNetworks(MIN_NETWORKS);
    const answersWithOtherFonts: Answers = (question) =>
      /^[bw]/.test(question) ? otherAnswers(question) : answersOfPeople(question);
    expect(Array.from({ length: 50 }, () => isRare(answersWithOtherFonts))).not.toContain(true);
  });

  test('no finding when people give many different answers, or for the smaller of two groups', () => {
    const { teach, isRare } = teachNetworks(8);
    teach(4, otherAnswers, 100);
    teach(30, answersOfPeople, 200);
    expect(isRare(otherAnswers)).toBe(false);
    expect(isRare(randomAnswers)).toBe(true);
    const divided = teachNetworks(0);
    for (let group = 0; group < 8; group++) {
      divided.teach(6, (question) => hashOf(`${group} ${question}`), group * 10);
    }
    expect(divided.isRare(randomAnswers)).toBe(false);
  });

  test('a version without earlier visitors is compared with all versions of its engine, until its own answers are learned', () => {
    const { teach, isRare } = teachNetworks(MIN_NETWORKS);
    expect(isRare(answersOfPeople, NEXT_CHROME)).toBe(false);
    expect(isRare(otherAnswers, NEXT_CHROME)).toBe(true);
    expect(isRare(otherAnswers, CHROME_ON_LINUX)).toBe(true);
    teach(MIN_NETWORKS, otherAnswers, 100, NEXT_CHROME);
    expect(isRare(otherAnswers, NEXT_CHROME)).toBe(false);
    // The table of the whole engine did not learn these answers.
    expect(isRare(otherAnswers, CHROME_ON_LINUX)).toBe(true);
  });

  test('an attack: the answers of a crowd stay rare when people have answered first, however large the crowd is', () => {
    const { teach, isRare } = teachNetworks(40);
    teach(1_000, otherAnswers, 1_000);
    expect(isRare(otherAnswers)).toBe(true);
    expect(isRare(answersOfPeople)).toBe(false);
  });

  test('a known limit: when a crowd answers before the people with a rare browser, the answers of these people are rare', () => {
    const { isRare, teach } = teachNetworks(NETWORKS, otherAnswers);
    expect(isRare(answersOfPeople)).toBe(true);
    // Their answers stay rare until the questions change, at most six hours later.
    teach(200, answersOfPeople, 1_000);
    expect(isRare(answersOfPeople)).toBe(true);
    const { learned } = teachNetworks(NETWORKS, otherAnswers);
    const later = createUpload(answersOfPeople, CHROME, NOW_MS + 6 * HOUR_MS);
    expect(learned.judge(later.ticket, later.evidence).found).toEqual([]);
  });

  test('a known limit: when more than a fifth of the networks give different answers, there is no finding until more people come', () => {
    const { teach, isRare } = teachNetworks(6, randomAnswers);
    teach(12, answersOfPeople, 100);
    expect(isRare(randomAnswers)).toBe(false);
    teach(30, answersOfPeople, 200);
    expect(isRare(randomAnswers)).toBe(true);
  });

  test('the memory is bounded: after ten thousand claimed versions, Guard forgets versions, but no engine', () => {
    const { learned, isRare } = teachNetworks(MIN_NETWORKS);
    for (let version = 1; version < 10_000; version++) {
      const claimed = CHROME.replace('Chrome/156', `Chrome/${version}9999`);
      const { ticket, evidence } = createUpload(randomAnswers, claimed);
      learned.teach(ticket, evidence, '192.0.2.1');
    }
    expect(isRare(answersOfPeople)).toBe(false);
    expect(isRare(randomAnswers)).toBe(true);
  });
});

describe('17.3 questions that are learned: answers of no engine', () => {
  const answersOfGecko: Answers = (question) => hashOf(`gecko ${question}`);
  const answersOfWebkit: Answers = (question) => hashOf(`webkit ${question}`);
  const findingsOf = (
    learned: ReturnType<typeof teachNetworks>['learned'],
    answersOf: Answers,
    claimed = CHROME,
  ) => {
    const { ticket, evidence } = createUpload(answersOf, claimed);
    return learned.judge(ticket, evidence).found;
  };
  function withThreeEngines() {
    const { learned, teach } = teachNetworks(MIN_NETWORKS);
    teach(MIN_NETWORKS, answersOfGecko, 100, FIREFOX);
    teach(MIN_NETWORKS, answersOfWebkit, 200, SAFARI);
    return learned;
  }

  test('answers_of_no_engine: a program that claims a common browser and invents its answers', () => {
    const learned = withThreeEngines();
    expect(findingsOf(learned, randomAnswers)).toEqual(['answers_of_no_engine']);
    expect(findingsOf(learned, randomAnswers, FIREFOX)).toEqual(['answers_of_no_engine']);
    expect(findingsOf(learned, answersOfPeople)).toEqual([]);
  });

  test('a person whose extension names another engine has a weak finding', () => {
    const learned = withThreeEngines();
    expect(findingsOf(learned, answersOfGecko)).toEqual(['answers_rare']);
    expect(findingsOf(learned, answersOfWebkit, FIREFOX)).toEqual(['answers_rare']);
  });

  test('a person whose engine has no other visitor yet has a weak finding', () => {
    const { learned, teach } = teachNetworks(MIN_NETWORKS);
    teach(MIN_NETWORKS, answersOfWebkit, 200, SAFARI);
    expect(findingsOf(learned, answersOfGecko)).toEqual(['answers_rare']);
  });

  test('no answers_of_no_engine: an extension changes measurements, but not the other answers of the engine', () => {
    const learned = withThreeEngines();
    const answersOfChangedMeasurements: Answers = (question) =>
      question.startsWith('c') || question.startsWith('p')
        ? answersOfPeople(question)
        : randomAnswers(question);
    for (let visit = 0; visit < 20; visit++) {
      expect(findingsOf(learned, answersOfChangedMeasurements)).not.toContain(
        'answers_of_no_engine',
      );
    }
  });

  test('a program that claims a rare version is compared with its engine', () => {
    expect(findingsOf(withThreeEngines(), randomAnswers, NEXT_CHROME)).toEqual([
      'answers_of_no_engine',
    ]);
  });

  test('an attack: one network passes early, and Guard learns its invented answers', () => {
    const { learned, teach } = teachNetworks(0);
    teach(1, otherAnswers);
    teach(30, answersOfPeople, 10);
    teach(MIN_NETWORKS, answersOfGecko, 100, FIREFOX);
    teach(MIN_NETWORKS, answersOfWebkit, 200, SAFARI);
    expect(findingsOf(learned, otherAnswers)).toEqual(['answers_rare']);
  });

  test('a known limit: when a crowd answers first with each engine, the answers of people are answers of no engine', () => {
    const { learned, teach } = teachNetworks(MIN_NETWORKS, otherAnswers);
    teach(MIN_NETWORKS, otherAnswers, 100, FIREFOX);
    teach(MIN_NETWORKS, otherAnswers, 200, SAFARI);
    expect(findingsOf(learned, answersOfPeople)).toEqual(['answers_of_no_engine']);
  });

  test('a known limit: a program can get its answers from a browser of the claimed version', () => {
    expect(findingsOf(withThreeEngines(), answersOfPeople)).toEqual([]);
  });
});

describe('17.3 questions that are learned: answers are required', () => {
  const learned = createLearnedAnswers(SECRETS);
  const isLacking = (answer: Answers) => {
    const { ticket, evidence } = createUpload(answer);
    return learned.judge(ticket, evidence).isLacking;
  };

  test('two missing answers are allowed, because an extension can break them, and three are not', () => {
    let allowedMisses = 2;
    expect(isLacking((question) => (allowedMisses-- > 0 ? null : answersOfPeople(question)))).toBe(
      false,
    );
    allowedMisses = 3;
    expect(isLacking((question) => (allowedMisses-- > 0 ? null : answersOfPeople(question)))).toBe(
      true,
    );
  });

  test('answers to the questions of another ticket are treated as missing', () => {
    const { evidence } = createUpload(answersOfPeople);
    const laterUpload = createUpload(answersOfPeople, CHROME, NOW_MS + 24 * HOUR_MS);
    expect(learned.judge(laterUpload.ticket, evidence).isLacking).toBe(true);
  });

  test('a page of a site with the browser script gets no questions', () => {
    const { ticket, evidence } = createUpload(answersOfPeople);
    const answers = { unread: 'absent' } as const;
    const evidenceWithoutAnswers = { ...evidence, readings: { ...readings, answers } };
    const ticketOfScript = { ...ticket, origin: 'https://shop.example' };
    expect(learned.judge(ticketOfScript, evidenceWithoutAnswers)).toEqual({
      isLacking: false,
      found: [],
    });
    expect(learned.judge(ticket, evidenceWithoutAnswers).isLacking).toBe(true);
  });
});
