import { useEffect, useState } from 'preact/hooks'

type Tip = { text: string; x: number; y: number }

const MARGIN = 14
const WIDTH_MAX = 260

/** The text of whatever is under the pointer and has a `data-tip`. */
export function PointerTip() {
  const [tip, setTip] = useState<Tip | null>(null)
  useEffect(() => {
    const move = (event: PointerEvent) => {
      const at = (event.target as Element | null)?.closest?.('[data-tip]')
      const text = at?.getAttribute('data-tip')
      setTip(text ? { text, x: event.clientX, y: event.clientY } : null)
    }
    document.addEventListener('pointermove', move, { passive: true })
    return () => document.removeEventListener('pointermove', move)
  }, [])
  if (!tip) return null
  const left = Math.min(tip.x + MARGIN, innerWidth - WIDTH_MAX)
  return (
    <div id="tip" aria-hidden="true" style={{ left: `${left}px`, top: `${tip.y + MARGIN}px` }}>
      {tip.text}
    </div>
  )
}
