import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { ForgetAnswer, type ForgetRequest } from '@guard/config/settings/derived/forget-request';
import { messageOf } from '../terminal/faults.ts';

export type Asked = ForgetAnswer | { readonly kind: 'away'; readonly why: string };

/** Sends a request to the Guard at this socket. Waits without a time limit. Never rejects. */
export function askControl(socketPath: string, asked: ForgetRequest): Promise<Asked> {
  return new Promise((resolve) => {
    const away = (error: unknown): void => resolve({ kind: 'away', why: messageOf(error) });
    const sent = request(
      {
        ...{ socketPath, path: '/forget', method: 'POST', agent: false },
        headers: { host: 'guard', 'content-type': 'application/json' },
      },
      (response) => {
        json(response).then((body) => {
          const read = ForgetAnswer.safeParse(body);
          if (read.success) resolve(read.data);
          else
            away('it answered what this command does not understand; is it of the same version?');
        }, away);
      },
    );
    sent.on('error', away);
    sent.end(JSON.stringify(asked));
  });
}
