// The token that the printed address has behind `#token=`. It is kept for this tab only and taken out of
// the address at once, so that it is in no history, bookmark or shared address.

const key = (path: string) => `tesela-token:${path}`;

/** Splits a fragment into the token and the rest. */
export function splitFragment(fragment: string): { token: string | null; rest: string } {
  const parts = fragment.replace(/^#/, "").split("&");
  const found = parts.find((part) => part.startsWith("token="));
  return {
    token: found === undefined ? null : found.slice("token=".length),
    rest: parts.filter((part) => part !== found && part !== "").join("&"),
  };
}

/** The token of this tab, or null where the page was opened without one. */
export function takeToken(place: Location, past: History, storage: Storage): string | null {
  const folder = place.pathname.replace(/[^/]*$/, "");
  const { token, rest } = splitFragment(place.hash);
  if (token !== null) {
    storage.setItem(key(folder), token);
    past.replaceState(null, "", place.pathname + place.search + (rest ? `#${rest}` : ""));
  }
  return token ?? storage.getItem(key(folder));
}
