/** Sends a JSON text and returns the status of the answer. Rejects like `fetch`. A redirect is an error. */
export async function postJson(
  url: string,
  body: object,
  timeoutMs: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  return response.status;
}
