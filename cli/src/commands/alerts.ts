import { inertJson } from '@guard/config/settings/problems/problems';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';
import { reportFailure, print } from '../terminal/terminal.ts';

export const alerts = createCommand({
  name: 'alerts',
  summary: 'Send a test alert by each channel of the settings.',
  usage: ['guard alerts test [--config FILE] [--json]'],
  about: `Sends one alert that says it is a test, by the webhook, mail and command of \`alerts\` in the
settings, and says which of them accepted it. No running Guard is needed.`,
  options: {
    config: CONFIG_OPTION,
    json: switchOption('one JSON object, nothing else'),
  },
  operand: ['test'],
  exits:
    '0 all channels accepted it, 1 a channel refused it, or the settings name none, 2 called wrongly.',
  async run({ values, positionals }) {
    const [action, more] = positionals;
    if (action !== 'test') return 'name an action: test';
    if (more !== undefined) return `unexpected word: ${more}`;
    const file = settingsFile(values.config);
    if (typeof file !== 'string') return file.why;
    const settings = readSettings(file)?.settings;
    if (settings === undefined) return 1;
    if (settings.alerts === undefined) {
      return reportFailure('alerts', `${file} has no alerts: add webhook, mail or command`);
    }
    const { sendAlert } = await import('@guard/server');
    const alert = { name: 'test', about: '', seen: 'Nothing is wrong.' } as const;
    const deliveries = await sendAlert(alert, settings.alerts, Date.now());
    if (values.json) {
      const channels = deliveries.map(({ channel, fault = null }) => ({ channel, fault }));
      print(inertJson({ sent: channels }));
    } else {
      for (const { channel, fault } of deliveries) print(`${channel}: ${fault ?? 'sent'}`);
    }
    return deliveries.every(({ fault }) => fault === undefined) ? 0 : 1;
  },
});
