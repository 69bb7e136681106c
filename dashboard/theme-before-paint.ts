// Loaded in the head and blocking on purpose: the theme is known before the first paint.
try {
  const asked = new URLSearchParams(location.search).get('theme')
  const theme = asked ?? localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
