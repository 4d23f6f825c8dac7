/** Bundles the code for browsers: the challenge page into validator/dist/, the dashboard into dashboard/dist/. */
import { buildPage } from '@guard/dashboard/build';
import { buildBrowser } from '@guard/validator/build';

buildBrowser();
buildPage();
