// Asks Guard about one request, and prints what to do with it: node caller.mjs URL IP USER-AGENT
const TIMEOUT_MS = 400;

const { GUARD_VALIDATE_URL, GUARD_SECRET_KEY } = process.env;
const [url, ip, agent] = process.argv.slice(2);
const question = { url, ip, method: 'GET', headers: { 'user-agent': agent } };
console.log(whatToDo(await ask(question)));

/** The status of the answer, and the body of a 200. Undefined when no answer comes in time. */
async function ask(body) {
  try {
    const response = await fetch(GUARD_VALIDATE_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': GUARD_SECRET_KEY },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS), // for connecting, waiting and reading together
    });
    const { status } = response;
    return status === 200 ? { status, body: await response.json() } : { status };
  } catch {
    return undefined;
  }
}

function whatToDo(answer) {
  const rejected = answer !== undefined && answer.status >= 400 && answer.status < 500;
  if (rejected) return 'decision=none action=answer status=403'; // otherwise visitors who cause a 4xx pass
  if (answer?.status !== 200 || answer.body?.success !== true) return 'decision=none action=pass';
  const { decision, status_code, response_html } = answer.body;
  switch (decision) {
    case 'block':
    case 'redirect':
      return `decision=${decision} action=answer status=${status_code ?? 403}`;
    case 'allow':
    case 'not_matched':
      return response_html === undefined
        ? `decision=${decision} action=pass`
        : `decision=${decision} action=answer status=${status_code ?? 200}`;
    default:
      return 'decision=none action=pass';
  }
}
