const FILLED = '█'
const PARTS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of a share between 0 and 1, exact to an eighth of a column. */
export function barText(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8)
  return FILLED.repeat(Math.floor(eighths / 8)) + PARTS[eighths % 8]
}

/** A progress bar of the same width however far it is: `██████▌░░░  65 %`. */
export function progressBar(share: number, columns: number): string {
  const bounded = Math.min(1, Math.max(0, share))
  const filled = FILLED.repeat(Math.floor(bounded * columns))
  const percent = `${Math.floor(bounded * 100)} %`.padStart(5)
  return `${filled}${'░'.repeat(columns - filled.length)} ${percent}`
}
