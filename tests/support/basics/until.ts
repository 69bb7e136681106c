/** Longer than anything takes on a busy machine; a test that waits in vain says for what. */
const WAIT_MS_MAX = 120_000

/** The most that one look counts for, as a virtual machine may stand still for a minute. */
const LOOK_MS_MAX = 5_000

/** Management calls are limited, so a journey that polls one must not ask too often for long. */
const POLL_MS_MAX = 20

/** Waits until `holds` is true; fails the test when it never is. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  let waitedMs = 0
  let lookedAtMs = Date.now()
  for (let pollMs = 1; !(await holds()); pollMs = Math.min(2 * pollMs, POLL_MS_MAX)) {
    if (waitedMs > waitMsMax) throw new Error(`never came true: ${what}`)
    await Bun.sleep(pollMs)
    const nowMs = Date.now()
    waitedMs += Math.min(nowMs - lookedAtMs, LOOK_MS_MAX)
    lookedAtMs = nowMs
  }
}
