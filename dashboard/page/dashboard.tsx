import { useContext } from 'preact/hooks';
import { SignedIn } from './data/signed-in.ts';
import { EventDrawer } from './event/event-drawer.tsx';
import { Header } from './header/header.tsx';
import { useNavigation } from './navigation.tsx';
import { CrawlersPanel } from './panels/crawlers-panel.tsx';
import { EventsPanel } from './panels/events-panel.tsx';
import { FunnelPanel } from './panels/funnel-panel.tsx';
import { HealthPanels } from './panels/health-panels.tsx';
import { RulesPanel } from './panels/rules-panel.tsx';
import { Summary } from './panels/summary.tsx';
import { TopPanel } from './panels/top-panel.tsx';
import { TrafficPanel } from './panels/traffic-panel.tsx';
import { Announcer } from './parts/announcer.tsx';

export function Dashboard() {
  const { me } = useContext(SignedIn);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        <h1 class="only-heard">Traffic of {me.organisation}</h1>
        <View />
      </main>
      <EventDrawer />
      <Announcer />
      <footer>
        <p>
          Guard {me.version} · settings {me.revision} · {me.organisation} · this page reads only,
          and never changes anything
        </p>
      </footer>
    </>
  );
}

function View() {
  const { state } = useNavigation();
  switch (state.view) {
    case 'overview':
      return (
        <>
          <Summary />
          <TrafficPanel />
          <TopPanel />
          <FunnelPanel />
          <EventsPanel />
        </>
      );
    case 'events':
      return <EventsPanel />;
    case 'rules':
      return (
        <>
          <RulesPanel />
          <CrawlersPanel />
        </>
      );
    case 'health':
      return <HealthPanels />;
  }
}
