import type { Reason } from '@guard/config/contract/reasons';
import { chooseLanguage } from '../../pages/choose-language.ts';
import type { FormSource } from '../../request/form-source.ts';
import { createInterstitial } from '../../pages/interstitial.ts';
import type { Look } from '../../pages/look.ts';
import type { FilledTemplate } from '../../pages/template.ts';
import { createSealer } from '../../session/sealer.ts';
import { createCascadeSheets } from '../cascade/sheet.ts';
import { createQuestionPool } from '../learned/question-pool.ts';
import { createWitnesses } from '../witnesses/witnesses.ts';
import type { Programs } from '../program/programs.ts';
import type { ChallengeTerms } from './challenge-terms.ts';
import { handshakeOf } from '../../request/client-class.ts';
import { issueTicket, newTicket, type TicketRequest } from './ticket.ts';

interface ChallengeRequest extends TicketRequest {
  /** The client class (request/client-class.ts). */
  readonly client: string;
  /** The findings of the signals about the challenged request. */
  readonly found: readonly Reason[];
  readonly acceptLanguage: string | undefined;
  /**
   * Whether the challenged request sent a form, and whether the form is from this site or from another site. The page
   * repeats only a form of this site.
   */
  readonly form: FormSource;
  /** The origin of the page that embeds this page in a frame (pages/embedder.ts). */
  readonly embedder?: string | undefined;
  readonly look: Look;
  readonly terms: ChallengeTerms;
  /** `/.guard/verify` behind the gateway, or the absolute upload URL of a collector on another host. */
  readonly uploadUrl: string;
  /** URL of the page's trap link (challenge/trap-link.ts). Default: none. */
  readonly trap?: string;
}

export interface Challenge extends FilledTemplate {
  /** The headers of this page. They are valid for no other page, because they contain the nonce of its script. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reference: string;
}

export type IssueChallenge = (request: ChallengeRequest) => Challenge;

/** Creates challenge pages (contract 3). Guard stores nothing for a page, so a flood of requests costs no memory. */
export function createChallengeIssuer(options: {
  readonly secrets: readonly string[];
  readonly programs: Pick<Programs, 'next'>;
}): IssueChallenge {
  const sealer = createSealer(options.secrets, 'ticket');
  const sheets = createCascadeSheets(options.secrets);
  const witnesses = createWitnesses(options.secrets);
  const pool = createQuestionPool(options.secrets);
  const render = createInterstitial();
  return (request) => {
    const { sessionId, client, found, terms, uploadUrl, nowMs } = request;
    const program = options.programs.next();
    const newFields = newTicket(request);
    const { id, reference } = newFields;
    // Only a collector on the host of the page serves witnesses.
    const hasWitnesses = uploadUrl.startsWith('/');
    const ticket = issueTicket(sealer, {
      ...newFields,
      origin: '',
      client,
      found,
      witnessed: hasWitnesses,
      program: program.id,
      ...terms,
    });
    const page = render({
      program,
      ticket,
      sheet: sheets.issue(id),
      witnesses: hasWitnesses ? witnesses.issue(id, handshakeOf(client)) : '',
      questions: pool.issueEscaped(id, nowMs),
      session: sessionId,
      uploadUrl,
      reference,
      messages: chooseLanguage(request.acceptLanguage),
      form: request.form,
      look: request.look,
      embedder: request.embedder,
      trap: request.trap ?? '',
    });
    return { ...page, reference };
  };
}
