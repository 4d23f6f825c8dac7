import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { ForgetAnswer, type ForgetRequest } from '@guard/config/settings/derived/forget-request';
import { messageOf } from '../terminal/faults.ts';

export type ControlAnswer = ForgetAnswer | { readonly kind: 'away'; readonly why: string };

/** Sends a request to the Guard at this socket. Waits for the answer without a time limit. Never rejects. */
export function askControl(
  socketPath: string,
  forgetRequest: ForgetRequest,
): Promise<ControlAnswer> {
  return new Promise((resolve) => {
    const resolveAway = (error: unknown): void => resolve({ kind: 'away', why: messageOf(error) });
    const outgoingRequest = request(
      {
        ...{ socketPath, path: '/forget', method: 'POST', agent: false },
        headers: { host: 'guard', 'content-type': 'application/json' },
      },
      (response) => {
        json(response).then((body) => {
          const parsedAnswer = ForgetAnswer.safeParse(body);
          if (parsedAnswer.success) resolve(parsedAnswer.data);
          else
            resolveAway(
              'it answered what this command does not understand; is it of the same version?',
            );
        }, resolveAway);
      },
    );
    outgoingRequest.on('error', resolveAway);
    outgoingRequest.end(JSON.stringify(forgetRequest));
  });
}
