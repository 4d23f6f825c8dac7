// Shows a number in the footer, which comes over /events once a second. So a person sees that streams pass the gateway.
const live = document.getElementById('live');
const events = new EventSource('/events');
events.addEventListener('tick', (event) => {
  const { visitors } = JSON.parse(event.data);
  live.textContent = `${visitors} looking around right now`;
});
