import { validateHeaderName, validateHeaderValue } from 'node:http';

const TIMEOUT_MS = 400;
/** Fields for the framing of a message. Only the sender of the message may set them. */
const FRAMING = /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
/** Fields that describe Guard's body. They do not fit the body that your application sends. */
const ABOUT_BODY = /^content-(type|encoding|language|range|disposition)$/i;
/** Fields with lists. Guard's value is added to the value of your application. */
const LISTED = /^(link|server-timing|set-cookie|vary)$/i;

/**
 * Express middleware that asks Guard's `POST /validate` about each request, and follows the answer. Without an answer
 * in time the request passes, and `onFailure` gets the reason.
 *
 * Your application finds the answer in `res.locals.guard`. It is undefined when there was no answer.
 */
export function guard({ validateUrl, secretKey, onFailure = () => undefined }) {
  return async (req, res, next) => {
    const outcome = await ask(describe(req), { validateUrl, secretKey });
    switch (outcome.kind) {
      case 'failed':
        onFailure(outcome.why);
        return next();
      case 'rejected':
        // Passing the request would be a bypass, because a visitor can send what Guard rejects.
        onFailure(outcome.why);
        return deny(res, 403);
      case 'answered':
        return apply(outcome.answer, res, next);
    }
  };
}

function describe(req) {
  return {
    url: `${req.protocol}://${req.host}${req.originalUrl}`,
    // This is the visitor's address only when Express has the list of your proxies: app.set('trust proxy', …).
    ip: req.ip,
    method: req.method,
    // The header fields keep their order, because the order is a sign of the client's program.
    headers: Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
    ),
    referrer: req.headers.referer,
  };
}

/**
 * Fails open for a 5xx, no answer and an invalid answer, and fails closed for a 4xx. fetch itself reuses connections.
 */
async function ask(question, { validateUrl, secretKey }) {
  try {
    const response = await fetch(validateUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secretKey },
      body: JSON.stringify(question),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    if (status !== 200) {
      // An unread body would prevent the reuse of the connection.
      await response.body?.cancel();
      return { kind: status >= 400 && status < 500 ? 'rejected' : 'failed', why: `HTTP ${status}` };
    }
    const answer = await response.json();
    return isAnswer(answer)
      ? { kind: 'answered', answer }
      : { kind: 'failed', why: 'not an answer' };
  } catch (error) {
    return { kind: 'failed', why: error.name };
  }
}

function isAnswer(answer) {
  const decisions = ['allow', 'block', 'redirect', 'not_matched'];
  return answer?.success === true && decisions.includes(answer.decision);
}

function apply(answer, res, next) {
  const { decision, status_code, headers = {}, cookies = [], response_html } = answer;
  const denies = decision === 'block' || decision === 'redirect';
  const passes = !denies && response_html === undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING.test(name) || !isWritable(name, value)) continue;
    if (ABOUT_BODY.test(name) && response_html === undefined) continue;
    if (LISTED.test(name)) res.append(name, value);
    else res.setHeader(name, value);
  }
  for (const cookie of cookies) res.append('Set-Cookie', setCookie(cookie));
  // An answer for one visitor must not get into a shared cache.
  if ((denies || cookies.length > 0) && !res.hasHeader('Cache-Control')) {
    res.setHeader('Cache-Control', denies ? 'no-store' : 'private');
  }
  if (passes) {
    res.locals.guard = answer;
    return next();
  }
  if (answer.rate_limited === true && answer.retry_after !== undefined) {
    res.setHeader('Retry-After', String(answer.retry_after));
  }
  const isStatus = status_code >= 200 && status_code <= 599;
  const status = isStatus ? status_code : denies ? 403 : 200;
  if (response_html === undefined) return deny(res, status);
  if (!res.hasHeader('Content-Type')) res.type('html');
  return send(res, status, Buffer.from(response_html, 'base64'));
}

function deny(res, status) {
  res.setHeader('Cache-Control', 'no-store');
  res.type('text/plain');
  return send(res, status, Buffer.from('Request denied.\n'));
}

/** res.send() is not used, because it would add an ETag and could answer 304 without the body. */
function send(res, status, body) {
  res.statusCode = status;
  res.setHeader('Content-Length', body.length);
  res.end(body);
}

/** Writes all attributes. An empty domain means host-only, so no Domain is written. */
function setCookie({ name, value, domain, path, secure, same_site, max_age }) {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${max_age}`,
    ...(domain === '' ? [] : [`Domain=${domain}`]),
    ...(secure ? ['Secure'] : []),
    ...(same_site === '' ? [] : [`SameSite=${same_site}`]),
  ].join('; ');
}

function isWritable(name, value) {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
