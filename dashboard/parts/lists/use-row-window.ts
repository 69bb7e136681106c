import { useLayoutEffect, useState } from 'preact/hooks'

/** Rows beyond the edges that are drawn ahead, so that fast scrolling shows no blank. */
export const OVERSCAN = 12

/** The window moves by so many rows at once, so that not every row scrolled draws the list anew. */
const STEP = 6

/** The top bar of the page covers so much. */
const COVERED_PX = 52

/** Which of `count` rows of one height are in view; the page itself scrolls. */
export function useRowWindow(ref: { current: Element | null }, count: number, rowHeight: number) {
  const [view, setView] = useState({
    from: 0,
    to: Math.min(count, OVERSCAN * 4),
    /** The first row is out of view. */
    isScrolled: false,
  })
  useLayoutEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = ref.current?.getBoundingClientRect().top ?? 0
      const first = Math.floor(-top / rowHeight / STEP) * STEP - OVERSCAN
      const shown = Math.ceil(innerHeight / rowHeight) + OVERSCAN * 2 + STEP
      const from = Math.max(0, Math.min(first, count - shown))
      const to = Math.min(count, from + shown)
      const isScrolled = top < COVERED_PX - rowHeight / 2
      setView((old) => {
        const isSame = old.from === from && old.to === to && old.isScrolled === isScrolled
        return isSame ? old : { from, to, isScrolled }
      })
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [ref, count, rowHeight])
  return view
}
