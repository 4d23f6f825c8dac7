import { validateErrors, type ValidateErrorType } from '@guard/config/contract/errors';
import { describe, expect, test } from 'vitest';
import { visit } from '../kit/visitors/visitors.ts';
import { serveValidator } from './serve-validator.ts';
import { neverSettles, storeWith } from './store-with.ts';

const SENT_TEXT = 'sent_and_not_to_be_repeated';

const uuid = '3f0e5c9a-8a4b-4c6d-8e9f-0a1b2c3d4e5f';
const withSession = JSON.stringify(visit({ cookie: uuid }));

/** One request for each error type. The last three also need a store that fails. */
const CAUSES: Record<ValidateErrorType, { body: string; headers?: Record<string, string> }> = {
  missing_fields: { body: JSON.stringify({ ip: SENT_TEXT }) },
  invalid_request: { body: JSON.stringify({ url: SENT_TEXT, ip: '192.0.2.1' }) },
  invalid_ip: { body: JSON.stringify({ url: 'https://shop.example/', ip: SENT_TEXT }) },
  missing_api_key: { body: SENT_TEXT, headers: { 'x-api-key': '' } },
  invalid_api_key: { body: SENT_TEXT, headers: { 'x-api-key': SENT_TEXT } },
  request_not_judged: { body: withSession },
  internal_server_error: { body: withSession },
  validation_timeout: { body: withSession },
};

describe('2.5 "success: false, error.type: stable identifier, error.message: human-readable text"', () => {
  test.each(Object.keys(validateErrors) as ValidateErrorType[])('%s', async (type) => {
    const store = storeWith({
      session(id) {
        if (type === 'validation_timeout') return neverSettles();
        if (type === 'request_not_judged' && id !== uuid) return undefined;
        throw new Error(`the store says ${SENT_TEXT}`);
      },
    });
    const { post } = await serveValidator({ store });
    const { body, headers } = CAUSES[type];
    const answer = await post(body, headers);
    expect(answer.status).toBe(validateErrors[type].status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({
      success: false,
      error: { type, message: expect.stringMatching(/^[`A-Z].*\.$/) as unknown },
    });
    expect(answer.body).not.toContain(SENT_TEXT);
  });
});

describe('2.5 no error, header field or log line repeats a text of the request', () => {
  test.each([
    ['a key', SENT_TEXT, { 'x-api-key': SENT_TEXT }],
    ['a content type', SENT_TEXT, { 'content-type': SENT_TEXT }],
    ['a content encoding', '{}', { 'content-encoding': SENT_TEXT }],
    ['a body', SENT_TEXT, {}],
    ['a name', JSON.stringify({ ...visit(), headers: { [SENT_TEXT]: 1 } }), {}],
    ['a value', JSON.stringify({ ...visit(), method: SENT_TEXT.repeat(9) }), {}],
    ['a URL', JSON.stringify({ ...visit(), url: `https://${SENT_TEXT}@shop.example/` }), {}],
    ['a cookie', JSON.stringify({ ...visit(), url: '', cookie: SENT_TEXT }), {}],
  ])('%s', async (_what, body, headers) => {
    const { post, log } = await serveValidator();
    const answer = await post(body, headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify([answer.body, answer.headers])).not.toContain(SENT_TEXT);
    expect(log.join()).not.toContain(SENT_TEXT);
  });

  test('an unknown path gets 404 without a body', async () => {
    const { url } = await serveValidator();
    const answer = await fetch(`${url}/${SENT_TEXT}`, { headers: { 'x-api-key': SENT_TEXT } });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('');
  });

  test('the log has the kind of an error, and not the message', async () => {
    const store = storeWith({
      session() {
        throw new TypeError(`the store says ${SENT_TEXT}`);
      },
    });
    const { post, log } = await serveValidator({ store });
    await post(withSession);
    expect(log).toEqual(['["error","validate_failed",{"error":"TypeError"}]']);
  });
});
