import type { Signals } from '../../../src/ports/signals.ts'
import { until } from '../basics/until.ts'

let rounds = 0

/**
 * Once this is over, `there` hears what `here` publishes, and has heard what was published while
 * they were connected.
 */
export async function heardFrom(here: Signals, there: Signals): Promise<void> {
  const topic = `heard.${process.pid}.${++rounds}`
  let isHeard = false
  const end = there.subscribe(topic, () => {
    isHeard = true
  })
  // Said again each time, as a connection may only be on its way.
  const isThere = () => {
    if (!isHeard) here.publish(topic, '')
    return isHeard
  }
  await until(isThere, 'one hears what the other publishes').finally(end)
}
