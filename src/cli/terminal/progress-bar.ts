/** A progress bar of the same width however far it is: `██████░░░░  65 %`. */
export function progressBar(share: number, columns: number): string {
  const bounded = Math.min(1, Math.max(0, share))
  const filled = '█'.repeat(Math.floor(bounded * columns))
  const percent = `${Math.floor(bounded * 100)} %`.padStart(5)
  return `${filled}${'░'.repeat(columns - filled.length)} ${percent}`
}
