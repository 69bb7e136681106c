import { useEffect, useState } from 'preact/hooks'
import { Button, IconButton } from '../button.tsx'
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
      <IconButton
        icon="eye"
        label={isRevealed ? `Hide ${what}` : `Reveal ${what}`}
        aria-pressed={isRevealed}
        title={isRevealed ? 'Hide' : 'Reveal for 30 seconds'}
        onClick={() => setRevealed(!isRevealed)}
      />
      <Button class="sm" icon="copy" onClick={() => void copyText(secret, what)}>
        {props.copyLabel}
      </Button>
    </div>
  )
}

/** `••••kT4w`: enough to tell keys apart. */
export function lastFour(secret: string): string {
  return DOT.repeat(LAST_SHOWN) + secret.slice(-LAST_SHOWN)
}
