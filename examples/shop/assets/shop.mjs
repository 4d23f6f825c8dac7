// The number in the footer comes over /events once a second. It shows that streams pass the gateway.
const live = document.getElementById('live');
const events = new EventSource('/events');
events.addEventListener('tick', (event) => {
  const { visitors } = JSON.parse(event.data);
  live.textContent = `${visitors} looking around right now`;
});
