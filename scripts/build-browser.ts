/** Bundles the code that runs in visitors' browsers into validator/dist/. */
import { buildBrowser } from '@guard/validator/build';

await buildBrowser();
