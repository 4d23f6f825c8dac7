import { botKeysOf } from '@guard/config/settings/keys/agent-keys';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { crawlerRangesFolder } from '@guard/config/settings/derived/data-places';
import { databaseFilesOf } from '@guard/config/settings/derived/fetched-databases';
import type { Settings } from '@guard/config/settings/schema';

/** The part of the settings that a validator needs to decide and to explain. */
export function validatorSettings(
  settings: Settings,
  crawlers = CrawlerCatalogue.load(undefined, crawlerRangesFolder(settings)),
) {
  return {
    organisations: settings.organisations,
    sites: settings.sites,
    secrets: settings.secret,
    observe: settings.observe,
    healthToken: settings.health_check_token,
    crawlers,
    botKeys: botKeysOf(settings.web_bot_auth),
    databases: databaseFilesOf(settings),
  };
}
