/** node eval/automation/visit.ts TOOL URL PROFILE DISPLAY: makes one visit and prints how it ended. */
import { fileNameOf } from './tool.ts';
import { tools } from './tool-list.ts';

const [name, url, profile, display] = process.argv.slice(2);
const tool = tools.find((each) => fileNameOf(each) === name);
if (!tool || url === undefined || profile === undefined || display === undefined) {
  throw new TypeError('TOOL URL PROFILE DISPLAY');
}
// Some tools reject promises that are not awaited. That does no harm.
process.on('unhandledRejection', () => undefined);
try {
  console.log(`ending: ${await tool.visit(url, { profile, display })}`);
} catch (error) {
  console.error(error);
}
// The process exits here, because some tools still wait for something.
process.exit();
