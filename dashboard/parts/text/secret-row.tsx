import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'
import { copyText } from './copy-button.tsx'

/** A secret that was revealed hides again by itself. */
const REVEALED_MS = 30_000
const LAST_SHOWN = 4
const DOT = '•'

/** A secret, hidden but its last four; copying works without revealing it. */
export function SecretRow(props: { secret: string; what: string; copyLabel: string }) {
  const { secret, what } = props
  const [isRevealed, setRevealed] = useState(false)
  useEffect(() => setRevealed(false), [secret])
  useEffect(() => {
    if (!isRevealed) return
    const timer = setTimeout(() => setRevealed(false), REVEALED_MS)
    return () => clearTimeout(timer)
  }, [isRevealed])
  return (
    <div class="keyrow">
      <code class="grow">
        {isRevealed ? (
          secret
        ) : (
          <>
            <span class="dots">{DOT.repeat(Math.max(0, secret.length - LAST_SHOWN))}</span>
            <span>{secret.slice(-LAST_SHOWN)}</span>
          </>
        )}
      </code>
      <button
        class="ib"
        type="button"
        aria-pressed={isRevealed}
        aria-label={isRevealed ? `Hide ${what}` : `Reveal ${what}`}
        title={isRevealed ? 'Hide' : 'Reveal for 30 seconds'}
        onClick={() => setRevealed(!isRevealed)}
      >
        <Icon name="eye" />
      </button>
      <button class="btn sm" type="button" onClick={() => void copyText(secret, what)}>
        <Icon name="copy" small />
        {props.copyLabel}
      </button>
    </div>
  )
}

/** `••••kT4w`: enough to tell keys apart. */
export function lastFour(secret: string): string {
  return DOT.repeat(LAST_SHOWN) + secret.slice(-LAST_SHOWN)
}
