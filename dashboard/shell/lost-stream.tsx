import { useEffect, useState } from 'preact/hooks'
import { useLiveState } from '../api/live.ts'
import { Icon } from '../parts/icon.tsx'

/** A short interruption is nobody's business. */
const SAID_AFTER_MS = 5000

/** Says that what is shown may be old, once the stream has been lost for a while. */
export function LostStream() {
  const state = useLiveState()
  const [isSaid, setSaid] = useState(false)
  useEffect(() => {
    if (state !== 'lost') {
      setSaid(false)
      return
    }
    const timer = setTimeout(() => setSaid(true), SAID_AFTER_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (!isSaid) return null
  return (
    <div class="banner gap" role="alert">
      <Icon name="warn" />
      <div class="t">
        <b>Live updates are lost</b>
        <p>
          What you see was true a moment ago. The stream is tried again and catches up by itself;
          webhooks and calls go on without it.
        </p>
      </div>
    </div>
  )
}
