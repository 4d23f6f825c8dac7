import { type Reason, reasons } from '@guard/config/contract/reasons';
import { NOTHING, type Signal } from './signal.ts';

/** What the challenge found of this session: a rejected one carries its reasons until it expires. */
export const sessionSignal: Signal = ({ session }) =>
  session.state === 'rejected' ? session.session.reasons.filter(isReason) : NOTHING;

/** A store shared with another version may hold identifiers that this one does not know. */
function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}
