type NotificationFrame = { text: string; bytes: number }

export type FrameMemo = (before: string, resultText: string, after: string) => NotificationFrame

/**
 * Many clients are told the same in a row, under the same id: the text is made once for all of
 * them, so that a thousand clients cost no more memory than one.
 */
export function openFrameMemo(): FrameMemo {
  let last = { before: '', resultText: '', after: '' }
  let frame: NotificationFrame = { text: '', bytes: 0 }
  return (before, resultText, after) => {
    const isSame = last.resultText === resultText && last.before === before && last.after === after
    if (isSame) return frame
    const text = before + resultText + after
    last = { before, resultText, after }
    frame = { text, bytes: Buffer.byteLength(text) }
    return frame
  }
}
