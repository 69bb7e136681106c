/** Longer than anything takes on a busy machine; a test that waits in vain says for what. */
const WAIT_MS_MAX = 60_000

/** Management calls are limited, so a journey that polls one must not ask too often for long. */
const POLL_MS_MAX = 20

/** Waits until `holds` is true; fails the test when it never is. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  const endsAtMs = Date.now() + waitMsMax
  for (let pollMs = 1; !(await holds()); pollMs = Math.min(2 * pollMs, POLL_MS_MAX)) {
    if (Date.now() > endsAtMs) throw new Error(`never came true: ${what}`)
    await Bun.sleep(pollMs)
  }
}
