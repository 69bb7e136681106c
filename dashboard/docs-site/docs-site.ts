import { switchTheme } from '../shell/theme.ts'
import { openSearch } from './search-box.ts'

/** The life of a page of the documentation; without it every page can be read all the same. */

const COPIED_MS = 1500

openSearch()
document.querySelector('#theme')?.addEventListener('click', switchTheme)
document.addEventListener('click', copyCode)

// The list of pages is open beside the text, and folded above it on a small screen.
const list = document.querySelector<HTMLDetailsElement>('.docs-nav')
const isWide = matchMedia('(min-width: 900px)')
if (list) {
  list.open = isWide.matches
  isWide.addEventListener('change', () => {
    list.open = isWide.matches
  })
}

// The reference stood here once, and its calls were anchors of this page.
if (location.pathname === '/docs' && /^#[a-z]+[A-Z]\w+$/.test(location.hash)) {
  location.replace(`/docs/reference${location.hash}`)
}

function copyCode({ target }: MouseEvent): void {
  const button = target instanceof Element ? target.closest('.copy-code') : null
  const text = button?.parentElement?.querySelector('code')?.textContent
  if (!button || !text) return
  void navigator.clipboard.writeText(text.trimEnd()).then(() => {
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, COPIED_MS)
  })
}
