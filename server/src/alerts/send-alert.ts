import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import type { AlertSettings, MailSettings } from '@guard/config/settings/sections/alerts';
import { postJson } from '../process/post-json.ts';
import { type Alert, ALERTS } from './alert.ts';

const TIMEOUT_MS = 10_000;

type Channel = 'webhook' | 'mail' | 'command';

/** The result for one channel. `fault` contains no URL, address or password. */
interface SendResult {
  readonly channel: Channel;
  readonly fault: string | undefined;
}

/** The message to a receiver. Chat programs show its `text`. */
interface Message {
  readonly alert: Alert['name'];
  readonly title: string;
  readonly text: string;
  readonly about: string;
  readonly host: string;
  readonly at: string;
}

/** Sends an alert through every channel of the settings. Never rejects. */
export async function sendAlert(
  { name, about, seen }: Alert,
  settings: AlertSettings,
  now: number,
): Promise<readonly SendResult[]> {
  const host = hostname();
  const title = ALERTS[name];
  const text = `Guard on ${host}: ${title}. ${seen}`;
  const message: Message = {
    alert: name,
    title,
    text,
    about,
    host,
    at: new Date(now).toISOString(),
  };
  const { webhook, mail, command } = settings;
  return Promise.all([
    ...(webhook === undefined ? [] : [attemptSend('webhook', postWebhook(webhook, message))]),
    ...(mail === undefined ? [] : [attemptSend('mail', sendMail(mail, message))]),
    ...(command === undefined ? [] : [attemptSend('command', runCommand(command, message))]),
  ]);
}

async function attemptSend(
  channel: Channel,
  attempt: Promise<string | undefined>,
): Promise<SendResult> {
  try {
    return { channel, fault: await attempt };
  } catch (error) {
    return { channel, fault: nameOf(error) };
  }
}

async function postWebhook(url: string, message: Message): Promise<string | undefined> {
  const status = await postJson(url, message, TIMEOUT_MS);
  return status >= 200 && status < 300 ? undefined : `HTTP ${status}`;
}

async function sendMail(
  { server, from, to }: MailSettings,
  { title, text, host }: Message,
): Promise<undefined> {
  // Few installations send mail, so the library is loaded on demand.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: server,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    await transport.sendMail({ from, to: [...to], subject: `Guard on ${host}: ${title}`, text });
  } finally {
    transport.close();
  }
  return undefined;
}

async function runCommand(
  command: readonly string[],
  message: Message,
): Promise<string | undefined> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: TIMEOUT_MS,
    // A hanging program would delay all later alerts.
    killSignal: 'SIGKILL',
    // The program must not get Guard's secrets.
    env: { PATH: process.env['PATH'] },
  });
  // A program that does not read its input causes an error on the pipe, which needs no handling.
  child.stdin.on('error', () => undefined).end(`${JSON.stringify(message)}\n`);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code === 0 ? undefined : `ended with ${code ?? signal ?? 'nothing'}`;
}

/** The code or name of an error. The message of the error is not used, because it can contain an address. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const rootError = error.cause instanceof Error ? error.cause : error;
  return 'code' in rootError && typeof rootError.code === 'string'
    ? rootError.code
    : rootError.name;
}
