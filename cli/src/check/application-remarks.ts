import { readingsOf } from '@guard/config/matching/path-readings';
import type { Settings } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import type { Application, NeededRule } from '../applications/application.ts';
import { APPLICATIONS } from '../applications/applications.ts';
import { recogniseOrigin } from '../applications/recognise.ts';
import { isUnchallenged } from './challenged-visitors.ts';
import { hint, type Remark, warning } from './remark.ts';

/**
 * Asks the first origin of each site which application it is. Names the lines for this application that the settings do
 * not have.
 */
export async function applicationRemarks(settings: Settings): Promise<Remark[]> {
  const remarks = settings.sites.map(async (site, index): Promise<Remark[]> => {
    const [origin] = site.origin;
    const organisationIndex = settings.organisations.findIndex(
      ({ id }) => id === site.organisation,
    );
    const organisation = settings.organisations[organisationIndex];
    if (origin === undefined || organisation === undefined) return [];
    const { id, rules, presets } = organisation;
    // Without rules Guard stops no visitor, so no exception is missing.
    if (rules.length === 0) return [];
    const recognition = await recogniseOrigin(origin, site.hosts);
    if (recognition.kind !== 'recognised') return [];
    const application: Application = APPLICATIONS[recognition.name];
    const isProtected = compileRoute(site.protect, site.skip);
    const isMissing = ({ example, line }: NeededRule) =>
      isProtected(readingsOf(example)) &&
      !rules.some(({ name }) => line.startsWith(`{ name: ${name},`)) &&
      !isUnchallenged(example, rules);
    const looks = `the origin looks like ${application.title} (${recognition.sign}), and organisation ${id} has`;
    const missing = application.presets.filter(({ preset }) => !presets.includes(preset));
    const names = missing.map(({ preset }) => preset).join(', ');
    const explanations = missing.map(({ why }) => why).join(' ');
    return [
      ...(missing.length === 0
        ? []
        : [
            warning(
              ['sites', index, 'origin'],
              `${looks} no preset for some of its programs: add ${names} to its presets. ${explanations}`,
            ),
          ]),
      ...application.rules
        .filter(isMissing)
        .map(({ why, line }) =>
          hint(
            ['organisations', organisationIndex, 'rules'],
            `${looks} no rule for this: ${why} Put this in front of your rules: - ${line}`,
          ),
        ),
    ];
  });
  return (await Promise.all(remarks)).flat();
}
