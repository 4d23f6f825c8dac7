export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <path class="mark-shield" d="M16 2 4 6v9c0 8 5 13 12 15 7-2 12-7 12-15V6z" />
      <path class="mark-tick" d="m10 16 4 4 8-9" />
    </svg>
  );
}
