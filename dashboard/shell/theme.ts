const KEPT_AS = 'theme'

export function switchTheme(): void {
  const root = document.documentElement
  const theme = isDark() ? 'light' : 'dark'
  root.dataset.theme = theme
  try {
    localStorage.setItem(KEPT_AS, theme)
  } catch {}
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}
