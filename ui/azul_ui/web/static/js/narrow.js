/** True on a phone, where one part comes below the other. */
export function isNarrow() {
  return matchMedia("(max-width: 760px)").matches;
}
