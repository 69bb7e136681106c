import { element } from '../parts/element.ts'
import { type DocsSection, type FoundSection, findSections } from './find-sections.ts'

const NOTHING_FOUND = element('p', { className: 'none' }, 'Nothing has all of these words.')

type Parts = { input: HTMLInputElement; list: HTMLElement }

/** Asked for once, when somebody first looks for something. */
let sections: Promise<readonly DocsSection[]> | null = null

/** Makes the search box of the page work: `/` goes to it, arrows and Enter choose. */
export function openSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#find')
  const list = document.querySelector<HTMLElement>('#found')
  if (!input || !list) return
  const parts = { input, list }
  input.addEventListener('focus', () => void readSections())
  input.addEventListener('input', () => void showFound(parts))
  input.addEventListener('keydown', (event) => onKey(parts, event))
  input.addEventListener('blur', () => requestAnimationFrame(() => closeUnlessWithin(parts)))
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    input.focus()
  })
}

function readSections(): Promise<readonly DocsSection[]> {
  const address = document.documentElement.dataset.search ?? ''
  sections ??= fetch(address).then((response) => response.json())
  return sections
}

async function showFound(parts: Parts): Promise<void> {
  const { input, list } = parts
  const asked = input.value
  const found = findSections(await readSections(), asked)
  if (asked !== input.value) return
  list.replaceChildren(...found.map(optionFor))
  if (found.length === 0 && asked.trim()) list.append(NOTHING_FOUND)
  setOpen(parts, asked.trim() !== '')
  choose(parts, 0)
}

function optionFor({ section: [path, page, heading], excerpt }: FoundSection, at: number) {
  return element(
    'a',
    { id: `found-${at}`, role: 'option', href: path, tabIndex: -1 },
    element('b', {}, heading),
    element('small', {}, page),
    element('span', {}, excerpt),
  )
}

function onKey(parts: Parts, event: KeyboardEvent): void {
  const { input, list } = parts
  const options = [...list.querySelectorAll<HTMLAnchorElement>('[role="option"]')]
  const at = options.findIndex((option) => option.ariaSelected === 'true')
  if (event.key === 'Escape') {
    input.value = ''
    setOpen(parts, false)
  }
  if (event.key === 'Enter') options[at]?.click()
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const step = event.key === 'ArrowDown' ? 1 : -1
  choose(parts, (at + step + options.length) % Math.max(1, options.length))
}

function choose({ input, list }: Parts, wanted: number): void {
  const options = [...list.querySelectorAll<HTMLAnchorElement>('[role="option"]')]
  for (const [at, option] of options.entries()) {
    option.ariaSelected = String(at === wanted)
    if (at === wanted) option.scrollIntoView({ block: 'nearest' })
  }
  const chosen = options[wanted]
  if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
  else input.removeAttribute('aria-activedescendant')
}

/** A click into the list takes the focus from the box before it is a click. */
function closeUnlessWithin(parts: Parts): void {
  if (!parts.list.contains(document.activeElement)) setOpen(parts, false)
}

function setOpen({ input, list }: Parts, isOpen: boolean): void {
  list.hidden = !isOpen
  input.ariaExpanded = String(isOpen)
}
