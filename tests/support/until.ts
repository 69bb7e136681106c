/** Longer than anything takes on a busy machine; a test that waits in vain says for what. */
const WAIT_MS_MAX = 60_000

/** Management calls are limited, so a journey that polls one must not ask too often. */
const POLL_MS = 20

/** Waits until `holds` is true; fails the test when it never is. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  const endsAtMs = Date.now() + waitMsMax
  while (!(await holds())) {
    if (Date.now() > endsAtMs) throw new Error(`never came true: ${what}`)
    await Bun.sleep(POLL_MS)
  }
}
